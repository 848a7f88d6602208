#include <algorithm>
#include <optional>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/node_trees.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/numbers/error.hpp"

// In-switch reduction: the switch of each node sums the buffers of its ranks, and multicasts
// results to them. Each rank owns a shard of the buffer. A switch handles all shards at once, so it
// is represented by one rank of the job per shard, a server without gradients. For 4 ranks, each of
// which owns a shard; o is the owner of this one:
//
//   up      all ranks send the shard to the switch, which sends the sum to the owner
//   across  the owners of a shard, the same GPU of each node, whose NICs are on one rail of a
//           fabric, combine their sums over a double binary tree
//   down    the owner sends the result to the switch, which copies it to the other ranks
//
//          rank 0 ---.            .--> rank 0
//          rank 1 ---+            +--> rank 1
//          rank o ---+- switch    |    rank o --- switch
//          rank 3 ---'     |      |--> rank 3       |
//                          v      |                 |
//                       rank o    '-----------------'
//
// With S the size and n ranks in a node, a rank sends S + S/n and receives S, while in a ring it
// sends and receives 2 S (n-1)/n: for 8 ranks 1.125 S and 1.75 S. A node sends S through its
// owners' NICs if there are two nodes, and up to 2 S if there are more. With segments all three
// parts overlap. It is NCCL's NVLS (NVLink SHARP: loads and stores of multicast addresses, Klenk et
// al. 2020, "An in-network architecture for accelerating shared-memory multiprocessor
// collectives"), and with several nodes NVLSTree.
//
// A rank begins with its own shard and continues in the order of the owners, so that the ranks of a
// node begin at different owners.
//
// Without servers, the owners take the place of the switch: the same sums, by direct exchange, on
// every backend.
namespace ringcast {
namespace {

/// The ranks of a node, the owner of a shard first, and its switch if that is a rank.
struct SwitchedNode {
  std::vector<Rank> ranks;
  std::optional<Rank> in_switch;
  [[nodiscard]] Rank owner() const { return ranks.front(); }
};

/// Whether the switch of a node with this many ranks is a rank.
bool has_switch(const CollectiveOptions& options, std::size_t ranks) {
  return !options.servers.empty() && ranks > 1;
}

SwitchedNode node_at(const NodeGroups& nodes, int node, int position,
                     const CollectiveOptions& options) {
  const auto ranks = nodes.ranks_of(node);
  SwitchedNode found{{ranks.begin(), ranks.end()}, std::nullopt};
  const int first = position % static_cast<int>(ranks.size());
  std::rotate(found.ranks.begin(), found.ranks.begin() + first, found.ranks.end());
  if (has_switch(options, ranks.size())) {
    const int server = node * nodes.widest() + position;
    found.in_switch = options.servers[static_cast<std::size_t>(server)];
  }
  return found;
}

/// The links of a node's switch: below the owner of the shard, above all ranks.
TreeLinks switch_links(const SwitchedNode& node, const TreeLinks& head) {
  TreeLinks links;
  links.parent = node.owner();
  links.children = node.ranks;
  links.contributes = false;
  links.height = 1;
  links.parent_height = head.height;
  links.root_height = head.root_height;
  links.depth = head.depth + 1;
  return links;
}

/// The links of a rank inside its node: below the switch, or else below the owner.
TreeLinks leaf_links(const SwitchedNode& node, const TreeLinks& head) {
  TreeLinks links;
  links.parent = node.in_switch.value_or(node.owner());
  links.parent_height = node.in_switch ? 1 : head.height;
  links.root_height = head.root_height;
  links.depth = head.depth + (node.in_switch ? 2 : 1);
  return links;
}

NodeGroups nodes_of(const CollectiveOptions& options) {
  return {options.channels.front().size(), options.node_of};
}

int trees_of(const NodeGroups& nodes) {
  return nodes.count() > 1 ? 2 : 1;
}

int shards_of(const NodeGroups& nodes) {
  return nodes.widest() * trees_of(nodes);
}

/// A rank's part in the tree of a shard.
struct ShardTree {
  int shard;
  TreeLinks links;
  /// Whether it is the head of an owner, whose leaf is the tree before it.
  bool follows = false;
};

/// One rank's trees: one per shard, two if there are several nodes.
class ShardTrees {
 public:
  ShardTrees(const CollectiveOptions& options, const NodeGroups& nodes, Rank rank)
      : options_{&options}, nodes_{&nodes}, rank_{rank} {
    const auto servers = static_cast<int>(options.servers.size());
    expect(servers == 0 || servers == nodes.count() * nodes.widest(),
           "{} parts of switches for {} nodes of up to {} ranks", servers, nodes.count(),
           nodes.widest());
    if (const auto server = shard_of(options, rank)) {
      add_switch(*server);
    } else {
      add_rank(nodes.place_of(rank));
    }
  }
  [[nodiscard]] const std::vector<ShardTree>& all() const { return trees_; }

 private:
  void add_switch(int server) {
    const int node = server / nodes_->widest();
    const int position = server % nodes_->widest();
    const SwitchedNode own = node_at(*nodes_, node, position, *options_);
    for (int tree = 0; own.in_switch && tree < trees_of(*nodes_); ++tree) {
      add(tree, position, switch_links(own, head_of(tree, node, position)));
    }
  }

  void add_rank(const NodeGroups::Place& place) {
    for (int i = 0; i < nodes_->widest(); ++i) {
      const int position = (place.position + i) % nodes_->widest();
      const SwitchedNode own = node_at(*nodes_, place.node, position, *options_);
      for (int tree = 0; tree < trees_of(*nodes_); ++tree) {
        TreeLinks head = head_of(tree, place.node, position);
        if (rank_ == own.owner()) {
          add_owner(tree, position, own, std::move(head));
        } else {
          add(tree, position, leaf_links(own, head));
        }
      }
    }
  }

  [[nodiscard]] TreeLinks head_of(int tree, int node, int position) const {
    return head_links(tree, node, *nodes_, position, options_->servers.empty() ? 1 : 2);
  }

  /// The owner is its node's head and, with a switch, also a leaf that receives no result.
  void add_owner(int tree, int position, const SwitchedNode& own, TreeLinks head) {
    if (own.in_switch) {
      TreeLinks leaf = leaf_links(own, head);
      leaf.receives = false;
      head.contributes = false;
      head.children.insert(head.children.begin(), *own.in_switch);
      add(tree, position, std::move(leaf));
    } else {
      head.children.insert(head.children.end(), own.ranks.begin() + 1, own.ranks.end());
    }
    add(tree, position, std::move(head), own.in_switch.has_value());
  }

  void add(int tree, int position, TreeLinks links, bool follows = false) {
    trees_.push_back({trees_of(*nodes_) * position + tree, std::move(links), follows});
  }

  const CollectiveOptions* options_;
  const NodeGroups* nodes_;
  Rank rank_;
  std::vector<ShardTree> trees_;
};

void run_shards(const CollectiveOptions& options, const NodeGroups& nodes,
                const CollectiveRequest& request, RankContext& self) {
  const int ranks = options.channels.front().size();
  const auto servers = static_cast<int>(options.servers.size());
  expect(self.network.size() == ranks + servers, "{} ranks and {} parts of switches in a job of {}",
         ranks, servers, self.network.size());
  const ShardTrees own{options, nodes, self.network.rank()};
  const Chunks shards{{0, request.elements}, shards_of(nodes)};
  const Bytes element_size = size_of(self.reducer.reduction().type);
  std::vector<PipelinedTree> trees;
  trees.reserve(own.all().size());  // followers refer to their leaves
  for (const auto& [shard, links, follows] : own.all()) {
    trees.emplace_back(links, shard, Segments{request.data, shards[shard], options, element_size},
                       ranks, self);
    if (follows) trees.back().follow(*(trees.end() - 2));
  }
  run_trees(trees, self);
}

}  // namespace

std::uint64_t in_switch_chunks(const CollectiveOptions& options) {
  return static_cast<std::uint64_t>(shards_of(nodes_of(options)));
}

double in_switch_messages(const CollectiveOptions& options, std::uint64_t elements,
                          Bytes element_size) {
  const NodeGroups nodes = nodes_of(options);
  double each = 2 * (nodes.count() - 1);
  for (int node = 0; node < nodes.count(); ++node) {
    const std::size_t ranks = nodes.ranks_of(node).size();
    each += 2 * static_cast<double>(ranks) - (has_switch(options, ranks) ? -1 : 2);
  }
  const Chunks shards{{0, elements}, shards_of(nodes)};
  double messages = 0;
  for (int shard = 0; shard < shards.count(); ++shard) {
    messages += each * message_count(shards[shard].count, options, element_size);
  }
  return messages;
}

Bytes in_switch_scratch(const CollectiveOptions& options, std::uint64_t elements,
                        Bytes element_size) {
  const NodeGroups nodes = nodes_of(options);
  const Chunks shards{{0, elements}, shards_of(nodes)};
  const auto scratch_of = [&](Rank rank) {
    const ShardTrees own{options, nodes, rank};
    Bytes size;
    for (const ShardTree& tree : own.all()) {
      size += tree_scratch({BufferId{}, shards[tree.shard], options, element_size},
                           tree.links.children.size());
    }
    return size;
  };
  Bytes most;
  for (const Rank rank : options.channels.front().ranks()) {
    most = std::max(most, scratch_of(rank));
  }
  for (const Rank server : options.servers) {
    most = std::max(most, scratch_of(server));
  }
  return most;
}

RankPart in_switch_allreduce(CollectiveOptions options) {
  NodeGroups nodes = nodes_of(options);
  return [options = std::move(options), nodes = std::move(nodes)](const CollectiveRequest& request,
                                                                  RankContext& self) {
    run_shards(options, nodes, request, self);
  };
}

}  // namespace ringcast
