#include <algorithm>
#include <numeric>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/node_trees.hpp"

// Double binary tree between the nodes, a chain inside each. Half of a channel's share goes through
// each of two trees, up and down, in segments. For 4 nodes of 2 ranks, a to d the nodes' first
// ranks in the ring order of the channel, a' to d' the second ones (double_tree.cpp derives the
// trees for any number):
//
//   tree 0   d - d'        tree 1   a - a'        up    a rank combines its children's segments
//            |                      |                   with its own and sends the sum to its
//            b - b'                 c - c'              parent; the root completes it
//           / \                    / \             .
//      a'- a   c - c'         d'- d   b - b'       down  the result, copied from parent to children
//
// No node has children in both trees: an inner node of one is a leaf of the other. So with S the
// size, a node sends and receives at most 2 S, S/2 to and from each of two children and two
// parents, and S if there are two nodes. Inside a node of several ranks S crosses each link of the
// chain each way. The chain of a channel begins where its ring enters the node: each channel uses
// its own NIC.
//
// With one rank per node, k segments to a half, d = log2(n+1) levels, a the latency, b the
// bandwidth of a cable, g the reduction time per byte, s = S/(k b) and r = S g/k for both
// children's segments:
//   up:   (d-1) (a + s + r) + (k-1) max(s, r)     down: (d-1) (a + s) + (k-1) s
// is the time of the two phases with CollectiveOptions::reduce_first; otherwise they overlap. For
// many segments that is the 2 S/b of a ring, with a latency that grows with log2(n) (Sanders, Speck
// and Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"; in NCCL
// since 2.4, with the chains). On one node the tree is over its ranks, or a chain of them
// (CollectiveOptions::chain_on_one_node), as in NCCL. Without segments each level waits for the
// whole half below it.
namespace ringcast {
namespace {

/// On one node, each rank counts as a node of its own: a tree over the ranks, unless
/// chain_on_one_node is set.
NodeGroups nodes_of(const RingOrder& order, const CollectiveOptions& options) {
  NodeGroups nodes{order, options.node_of};
  if (nodes.count() > 1 || options.chain_on_one_node) {
    return nodes;
  }
  std::vector<int> own(static_cast<std::size_t>(order.size()));
  std::iota(own.begin(), own.end(), 0);
  return {order, own};
}

TreeLinks links_of(int tree, const NodeGroups& nodes, NodeGroups::Place place) {
  const auto ranks = nodes.ranks_of(place.node);
  const auto position = static_cast<std::size_t>(place.position);
  const auto height_at = [&](int at) { return static_cast<int>(ranks.size()) - 1 - at; };
  TreeLinks links = head_links(tree, place.node, nodes, 0, nodes.widest() - 1);
  if (position > 0) {
    links.parent = ranks[position - 1];
    links.parent_height = position == 1 ? links.height : height_at(place.position - 1);
    links.children.clear();
    links.height = height_at(place.position);
    links.depth += place.position;
  }
  if (position + 1 < ranks.size()) {
    links.children.push_back(ranks[position + 1]);
  }
  return links;
}

std::vector<NodeGroups> channels_of(const CollectiveOptions& options) {
  std::vector<NodeGroups> channels;
  for (const RingOrder& order : options.channels) {
    channels.push_back(nodes_of(order, options));
  }
  return channels;
}

/// A rank's part in one of the two trees of a channel.
struct HalfTree {
  TreeLinks links;
  Segments data;
};

std::vector<HalfTree> trees_of(Rank rank, const std::vector<NodeGroups>& channels,
                               const CollectiveRequest& request, const CollectiveOptions& options,
                               Bytes element_size) {
  const Chunks shares{{0, request.elements}, static_cast<int>(channels.size())};
  std::vector<HalfTree> trees;
  for (int channel = 0; channel < shares.count(); ++channel) {
    const NodeGroups& nodes = channels[static_cast<std::size_t>(channel)];
    const Chunks halves{shares[channel], 2};
    for (int tree = 0; tree < 2; ++tree) {
      trees.push_back({links_of(tree, nodes, nodes.place_of(rank)),
                       {request.data, halves[tree], options, element_size}});
      trees.back().links.reduce_first = options.reduce_first;
    }
  }
  return trees;
}

}  // namespace

double double_tree_messages(const CollectiveOptions& options, std::uint64_t elements,
                            Bytes element_size) {
  const Chunks shares{{0, elements}, static_cast<int>(options.channels.size())};
  double messages = 0;
  for (int channel = 0; channel < shares.count(); ++channel) {
    const Chunks halves{shares[channel], 2};
    messages += message_count(halves[0].count, options, element_size) +
                message_count(halves[1].count, options, element_size);
  }
  return 2 * (options.channels.front().size() - 1) * messages;
}

std::uint64_t double_tree_chunks(const CollectiveOptions& options) {
  return 2 * options.channels.size();
}

Bytes double_tree_scratch(const CollectiveOptions& options, std::uint64_t elements,
                          Bytes element_size) {
  const std::vector<NodeGroups> channels = channels_of(options);
  Bytes most;
  for (int rank = 0; rank < options.channels.front().size(); ++rank) {
    Bytes size;
    for (const auto& [links, data] :
         trees_of(Rank{rank}, channels, {BufferId{}, elements}, options, element_size)) {
      size += tree_scratch(data, links.children.size());
    }
    most = std::max(most, size);
  }
  return most;
}

RankPart double_tree_allreduce(CollectiveOptions options) {
  std::vector<NodeGroups> channels = channels_of(options);
  return [options = std::move(options), channels = std::move(channels)](
             const CollectiveRequest& request, RankContext& self) {
    expect_whole_job(options, self.network);
    std::vector<PipelinedTree> trees;
    for (auto& [links, data] : trees_of(self.network.rank(), channels, request, options,
                                        size_of(self.reducer.reduction().type))) {
      trees.emplace_back(std::move(links), static_cast<int>(trees.size()), data,
                         self.network.size(), self);
    }
    run_trees(trees, self);
  };
}

}  // namespace ringcast
