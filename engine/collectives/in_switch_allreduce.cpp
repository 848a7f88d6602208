#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/node_trees.hpp"
#include "engine/numbers/error.hpp"

// In-switch reduction: the switch of each node adds what its ranks send, and copies results to all
// of them. A rank of the job stands for each such switch: a server that has no gradients. Each rank
// owns a shard of the buffer, here o of 4 ranks that own one shard each:
//
//   up    all ranks send the shard to the switch, which sends the sum to the owner
//   across   owners of one shard, one per node, combine their sums over a double binary tree
//   down  the owner sends the result to the switch, which copies it to the other ranks
//
//          rank 0 ---.            .--> rank 0
//          rank 1 ---+            +--> rank 1
//          rank o ---+- switch    |    rank o --- switch
//          rank 3 ---'     |      |--> rank 3       |
//                          v      |                 |
//                       rank o    '-----------------'
//
// With S the size and n ranks in a node, a rank sends S + S/n and receives as much, where a ring
// sends 2 S (n-1)/n: for 8 ranks 1.125 S and 1.75 S. A node sends S through its owners' cards if
// there are two nodes, and 2 S if there are more. Segments overlap all three parts. It is NCCL's
// NVLS (NVLink SHARP: loads and stores of multicast addresses, Klenk et al. 2020, "An in-network
// architecture for accelerating shared-memory multiprocessor collectives"), and with several nodes
// NVLSTree.
//
// Without servers the owners do a switch's work themselves: the same sums in the sequence of the
// ranks, by direct exchange, on every backend.
namespace ringcast {
namespace {

/// The ranks of a node, and its switch if that is a rank.
struct SwitchedNode {
  std::span<const Rank> ranks;
  std::optional<Rank> in_switch;
};

SwitchedNode node_at(const NodeGroups& nodes, int node, const CollectiveOptions& options) {
  const auto ranks = nodes.ranks_of(node);
  const bool switched = !options.servers.empty() && ranks.size() > 1;
  return {ranks,
          switched ? std::optional{options.servers[static_cast<std::size_t>(node)]} : std::nullopt};
}

/// The links of a node's switch: below the owner of the shard, above all ranks.
TreeLinks switch_links(const SwitchedNode& node, Rank owner, const TreeLinks& head) {
  TreeLinks links;
  links.parent = owner;
  links.children.assign(node.ranks.begin(), node.ranks.end());
  links.contributes = false;
  links.height = 1;
  links.parent_height = head.height;
  links.root_height = head.root_height;
  links.depth = head.depth + 1;
  return links;
}

/// The links of a rank inside its node: below the switch, or else below the owner.
TreeLinks leaf_links(const SwitchedNode& node, Rank owner, const TreeLinks& head) {
  TreeLinks links;
  links.parent = node.in_switch.value_or(owner);
  links.parent_height = node.in_switch ? 1 : head.height;
  links.root_height = head.root_height;
  links.depth = head.depth + (node.in_switch ? 2 : 1);
  return links;
}

/// Collects one rank's trees: a shard's, half by half where there are several nodes.
class ShardTrees {
 public:
  ShardTrees(const CollectiveOptions& options, const CollectiveRequest& request, RankContext& self)
      : options_{&options},
        nodes_{options.channels.front(), options.node_of},
        data_{request.data},
        self_{&self},
        shards_{{0, request.elements}, nodes_.widest() * trees_of(nodes_)} {
    const int ranks = options.channels.front().size();
    expect(options.servers.empty() || static_cast<int>(options.servers.size()) == nodes_.count(),
           "{} switches for {} nodes", options.servers.size(), nodes_.count());
    expect(self.network.size() == ranks + static_cast<int>(options.servers.size()),
           "{} ranks and {} switches in a job of {}", ranks, options.servers.size(),
           self.network.size());
  }

  static int trees_of(const NodeGroups& nodes) { return nodes.count() > 1 ? 2 : 1; }

  void run() {
    for (int shard = 0; shard < shards_.count(); ++shard) {
      add(shard);
    }
    for (const auto& [head, leaf] : followers_) {
      trees_[head].follow(trees_[leaf]);
    }
    run_up_and_down(trees_, *self_);
  }

 private:
  void add(int shard) {
    const Rank me = self_->network.rank();
    const auto served = std::ranges::find(options_->servers, me);
    const bool is_switch = served != options_->servers.end();
    const int node =
        is_switch ? static_cast<int>(served - options_->servers.begin()) : nodes_.place_of(me).node;
    const SwitchedNode own = node_at(nodes_, node, *options_);
    const int position = shard / trees_of(nodes_);
    const Rank owner = own.ranks[static_cast<std::size_t>(position) % own.ranks.size()];
    const bool switched = !options_->servers.empty();
    TreeLinks head = head_links(shard % trees_of(nodes_), node, nodes_, position, switched ? 2 : 1);
    if (is_switch) {
      if (own.in_switch) add(shard, switch_links(own, owner, head));
    } else if (me == owner) {
      add_owner(shard, own, std::move(head));
    } else {
      add(shard, leaf_links(own, owner, head));
    }
  }

  /// The owner is its node's head, and with a switch a leaf as well, which gets no result.
  void add_owner(int shard, const SwitchedNode& own, TreeLinks head) {
    const Rank me = self_->network.rank();
    if (own.in_switch) {
      TreeLinks leaf = leaf_links(own, me, head);
      leaf.receives = false;
      head.contributes = false;
      head.children.insert(head.children.begin(), *own.in_switch);
      add(shard, std::move(leaf));
      followers_.emplace_back(trees_.size(), trees_.size() - 1);
    } else {
      std::ranges::copy_if(own.ranks, std::back_inserter(head.children),
                           [me](Rank rank) { return rank != me; });
    }
    add(shard, std::move(head));
  }

  void add(int shard, TreeLinks links) {
    trees_.emplace_back(
        std::move(links), shard,
        Segments{data_, shards_[shard], *options_, size_of(self_->reducer.reduction().type)},
        options_->channels.front().size(), *self_);
  }

  const CollectiveOptions* options_;
  NodeGroups nodes_;
  BufferId data_;
  RankContext* self_;
  Chunks shards_;
  std::vector<PipelinedTree> trees_;
  std::vector<std::pair<std::size_t, std::size_t>> followers_;  // an owner's head, and its leaf
};

}  // namespace

double in_switch_messages(const CollectiveOptions& options, std::uint64_t elements,
                          Bytes element_size) {
  const NodeGroups nodes{options.channels.front(), options.node_of};
  double each = 2 * (nodes.count() - 1);
  for (int node = 0; node < nodes.count(); ++node) {
    const SwitchedNode own = node_at(nodes, node, options);
    each += 2 * static_cast<double>(own.ranks.size()) - (own.in_switch ? -1 : 2);
  }
  const Chunks shards{{0, elements}, nodes.widest() * ShardTrees::trees_of(nodes)};
  double messages = 0;
  for (int shard = 0; shard < shards.count(); ++shard) {
    messages += each * message_count(shards[shard].count, options, element_size);
  }
  return messages;
}

// An owner without a switch receives from all others of its node, and from two other nodes; it may
// own all shards.
Bytes in_switch_scratch(const CollectiveOptions& options, std::uint64_t elements,
                        Bytes element_size) {
  const NodeGroups nodes{options.channels.front(), options.node_of};
  const Chunks shards{{0, elements}, nodes.widest() * ShardTrees::trees_of(nodes)};
  const auto children = static_cast<std::size_t>(nodes.widest()) + 1;
  Bytes size;
  for (int shard = 0; shard < shards.count(); ++shard) {
    size += tree_scratch({BufferId{}, shards[shard], options, element_size}, children);
  }
  return size;
}

void in_switch_allreduce(const CollectiveOptions& options, const CollectiveRequest& request,
                         RankContext& self) {
  ShardTrees{options, request, self}.run();
}

}  // namespace ringcast
