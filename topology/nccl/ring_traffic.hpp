#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>

#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast::detail {

/// The hops of all rings, in nodes and between them.
class RingTraffic {
 public:
  RingTraffic(const TransferPaths& paths, std::span<const RingOrder> rings);

  /// The rate at which all rings together can run over hops of this sort; zero: there are none.
  [[nodiscard]] BytesPerSecond within() const {
    return BytesPerSecond{within_.busiest() ? rings_ / within_.slowest() : 0};
  }
  [[nodiscard]] BytesPerSecond across() const { return nominal(across_); }
  /// within() with the rates that NCCL assumes.
  [[nodiscard]] BytesPerSecond expected_within() const { return nominal(within_); }
  /// across() as NCCL expects it, without cables between switches and on x86 with the lower rate
  /// that it assumes for PCIe through Intel's processors.
  [[nodiscard]] BytesPerSecond expected_across(bool x86) const {
    return nominal(up_to_nics_, x86 && farthest_nic_ == PathLevel::phb);
  }
  /// The same through host memory, with actual rates.
  [[nodiscard]] BytesPerSecond through_host() const {
    return BytesPerSecond{through_host_.busiest() ? rings_ / through_host_.slowest() : 0};
  }
  /// The largest number of NICs that one GPU has at its path to the network.
  [[nodiscard]] int nics_per_ring(NcclVersion version) const;
  /// The number of GPUs at which rings leave a node, for the node with the fewest (connectNvls() in
  /// src/graph/connect.cc); zero for one node.
  [[nodiscard]] int least_exits() const;
  /// The fraction of the hops in nodes, by kind.
  [[nodiscard]] std::map<PathKind, double> parts_within() const;
  /// Whether all of these are over NVLinks.
  [[nodiscard]] bool nvlink() const;
  [[nodiscard]] PathLevel farthest_nic() const { return farthest_nic_; }
  /// The rendezvous of messages between nodes.
  [[nodiscard]] std::optional<Rendezvous> rendezvous() const { return rendezvous_; }
  [[nodiscard]] bool staged() const { return staged_; }
  /// The fraction of the hops in nodes that cross a root complex.
  [[nodiscard]] double past_root() const {
    return within_by_kind_.empty() ? 0 : static_cast<double>(past_root_) / hops_within_;
  }

 private:
  void add(const TransferPath& path, Rank from, Rank to);
  [[nodiscard]] BytesPerSecond nominal(const LinkLoads& loads, bool through_x86 = false) const;
  void for_each_crossed(const LinkLoads& loads, const auto& visit) const;

  double rings_;
  const TransferPaths* paths_;
  TransferPaths by_host_;
  LinkLoads within_;
  LinkLoads across_;
  LinkLoads up_to_nics_;  // of across_, the links that NCCL sees
  LinkLoads through_host_;
  std::map<int, std::set<Rank>> exits_;  // of each node
  std::set<int> amd_nodes_;
  std::map<PathKind, int> within_by_kind_;  // hops
  int hops_within_ = 0;
  bool staged_ = false;
  std::optional<Rendezvous> rendezvous_;
  int past_root_ = 0;
  PathLevel farthest_nic_ = PathLevel::nvl;
};

}  // namespace ringcast::detail
