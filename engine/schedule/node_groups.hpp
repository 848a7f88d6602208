#pragma once

#include <span>
#include <vector>

#include "engine/schedule/ring_order.hpp"

namespace ringcast {

/// The ranks of a job by node: the nodes in the order in which a ring first visits them, the ranks
/// of each in the order of the ring.
class NodeGroups {
 public:
  struct Place {
    int node;
    int position;
  };

  /// `node_of[r]` is the node of rank r, by any number; empty: all ranks are on one node.
  NodeGroups(const RingOrder& order, const std::vector<int>& node_of);
  /// By rank: if nodes are equal, a position is the same GPU of each, and has the same NIC.
  NodeGroups(int ranks, const std::vector<int>& node_of)
      : NodeGroups{RingOrder::identity(ranks), node_of} {}

  [[nodiscard]] int count() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] std::span<const Rank> ranks_of(int node) const {
    return nodes_.at(static_cast<std::size_t>(node));
  }
  /// The most ranks of a node.
  [[nodiscard]] int widest() const { return widest_; }
  [[nodiscard]] Place place_of(Rank rank) const {
    return places_.at(static_cast<std::size_t>(index_of(rank)));
  }

 private:
  std::vector<std::vector<Rank>> nodes_;
  std::vector<Place> places_;
  int widest_ = 0;
};

/// The order of a ring, changed so that every node is entered at the GPU of the same position, if
/// it has one: a chain through the nodes then stays on one rail, while NCCL's rings reverse their
/// path in every second node. The ranks of each node must be consecutive in the ring.
[[nodiscard]] RingOrder enter_nodes_alike(const RingOrder& ring, const NodeGroups& nodes);

}  // namespace ringcast
