#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// What choosing among the NICs of a node needs: their switches and rates.
class NicPorts {
 public:
  /// `numbers`: of each vertex among those of its kind in its node. Both must outlive this.
  NicPorts(const Cluster& cluster, const std::vector<std::uint64_t>& numbers);

  /// A switch that a vertex is cabled to: -1 without one.
  [[nodiscard]] int leaf_of(int vertex) const;
  /// Numbers of NICs are on one rail if any node has both at one switch. The other nodes may have
  /// them at two, where a leaf of a fat tree is full.
  [[nodiscard]] std::uint64_t rail_of(int nic) const;
  /// The place of a NIC's number among those of its rail.
  [[nodiscard]] std::uint64_t place_of(int nic) const;

  /// Removes NICs that NCCL's search leaves out (src/graph/search.cc). Its channels have one rate.
  /// With n NICs in a node it uses a slow one if n channels at its rate are faster than all but one
  /// at the rate of the others. With up to four it also tries half of the fastest rate, at which
  /// the others carry two channels each, so it uses any NIC of that rate, even if the job is slower
  /// than without it. With more its time ends before that (NCCL_SEARCH_GLOBAL_TIMEOUT). NCCL
  /// 2.28.9, with one NIC of 100 Gb/s beside others of 200, uses four of four, five of six and
  /// seven of eight.
  void leave_out_slow(std::vector<int>& vertices) const;
  /// Removes NICs at switches where `node` has only such NICs, unless that leaves none: a channel
  /// enters and leaves nodes by the same rail.
  void leave_out_slow_rails_of(int node, std::vector<int>& vertices) const;

 private:
  [[nodiscard]] BytesPerSecond rate_of(int vertex) const;
  /// The least rate of a used NIC in a node whose fastest has this rate.
  [[nodiscard]] BytesPerSecond least_rate(int node, BytesPerSecond fastest) const;
  void find_leaves();
  void find_nics();
  void find_rails();
  void find_slow_rails();

  const Cluster* cluster_;
  const std::vector<std::uint64_t>* numbers_;
  std::vector<int> leaves_;
  std::vector<std::uint64_t> rails_ = {};          // by number: the lowest number on its rail
  std::vector<BytesPerSecond> rates_;              // to a switch; zero without one
  std::vector<std::vector<int>> nics_;             // by node: those with a rate
  std::set<std::pair<int, int>> slow_rails_ = {};  // nodes and switches
};

}  // namespace ringcast::detail
