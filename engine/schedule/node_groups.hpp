#pragma once

#include <span>
#include <vector>

#include "engine/schedule/ring_order.hpp"

namespace ringcast {

/// The ranks of a job by node: the nodes in the order in which a ring first meets them, the ranks
/// of each in the order of the ring.
class NodeGroups {
 public:
  struct Place {
    int node;
    int position;
  };

  /// `node_of[r]` is the node of rank r, by any number; empty: all ranks are on one node.
  NodeGroups(const RingOrder& order, const std::vector<int>& node_of);
  /// By rank: where nodes are alike, a position is the same GPU of each, and has the same card.
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

/// The order of a ring in which each node is entered at the GPU of the same position, where it has
/// one: a chain through the nodes keeps to a rail, while rings pass through every second node
/// backwards. The ring must have the ranks of a node one after the other.
[[nodiscard]] RingOrder enter_nodes_alike(const RingOrder& ring, const NodeGroups& nodes);

}  // namespace ringcast
