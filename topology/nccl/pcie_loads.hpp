#pragma once

#include <map>
#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// How often a channel loads each link.
using ChannelLoad = std::map<LinkId, double>;
void add_load(ChannelLoad& sum, const ChannelLoad& other, double share = 1);

/// A tree through a node: a chain of its GPUs, and the paths of the first to and from its NIC.
struct TreeShape {
  ChannelLoad chain;
  ChannelLoad uplink;
};

/// The loads of a node's links by channels, as NCCL's search counts them (followPath() in
/// src/graph/search.cc): 1 for each hop. Peer traffic through the root complex of an Intel
/// processor counts 6/5 on PCIe (INTEL_P2P_OVERHEAD), since it uses small TLPs.
class NodeLoads {
 public:
  /// `node` must outlive this.
  NodeLoads(const TransferPaths& paths, const NcclMachine& machine, const JobNode& node)
      : paths_{&paths}, machine_{&machine}, node_{&node} {}

  [[nodiscard]] ChannelLoad ring_through(const RingOrder& ring) const;
  /// A chain along the ring; `last_is_second`: the last GPU, which may be near the NIC, too, comes
  /// second. Balanced trees leave a node at its first two GPUs, half at each.
  [[nodiscard]] TreeShape tree_through(const RingOrder& ring, bool last_is_second,
                                       bool balanced) const;
  /// The number of groups of consecutive GPUs of a ring that NVLinks connect.
  [[nodiscard]] int nvlink_groups(const RingOrder& ring) const;
  [[nodiscard]] bool crosses_sockets(const RingOrder& ring) const;

 private:
  [[nodiscard]] const Vertex& vertex_of(int place) const;
  [[nodiscard]] bool is_here(Rank rank) const;
  [[nodiscard]] Rank first_of(const RingOrder& ring) const;
  [[nodiscard]] std::vector<Rank> visit_of(const RingOrder& ring) const;
  [[nodiscard]] ChannelLoad chain_of(const std::vector<Rank>& visit) const;
  [[nodiscard]] bool has_small_packets(const TransferPath& path) const;
  [[nodiscard]] std::vector<LinkId> links_of(const TransferPath& path, Rank from, Rank to) const;
  [[nodiscard]] ChannelLoad load_of(Rank from, Rank to) const;
  void add_answers(ChannelLoad& load, Rank to) const;
  [[nodiscard]] bool is_own(LinkId link) const;
  [[nodiscard]] bool joins_sockets(LinkId link) const;
  [[nodiscard]] bool is_pcie(LinkId link) const;

  const TransferPaths* paths_;
  const NcclMachine* machine_;
  const JobNode* node_;
};

}  // namespace ringcast::detail
