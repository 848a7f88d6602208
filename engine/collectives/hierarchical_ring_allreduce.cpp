#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/ring_channel.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/schedule/node_groups.hpp"

// Hierarchical ring: rings inside the nodes, then rings across them. For nodes of ranks 0, 1 and of
// 2, 3, a buffer of two chunks, letters per rank, upper case for complete sums:
//
//                       start    1 inside        2 across        3 inside
//                                reduce-scatter  all-reduce      all-gather
//   node 0   rank 0     a a      ab  .           A  .            A B     ab = sum over the node's
//            rank 1     b b      .   ab          .  B            A B          ranks a, b
//   node 1   rank 2     c c      cd  .           A  .            A B     . = partial sum
//            rank 3     d d      .   cd          .  B            A B
//
//   1  ring reduce-scatter inside each node: chunk c ends, summed over the node, on the rank at
//      position c in the node. The sum is not complete, so an average is not divided yet.
//   2  for each chunk, a ring all-reduce across the nodes of the ranks that hold it: here 0-2, 1-3.
//   3  ring all-gather inside each node.
//
// Each phase runs in segments and ends on a rank before that rank begins the next. With m nodes of
// l ranks, n = m l, S the size, a and b the latency and bandwidth of a hop inside (i) or across
// (x), for whole chunks, hops that share no cable, and a reduction that takes no time:
//   T = 2(l-1) (a_i + S/(l b_i)) + 2(m-1) (a_x + S/(n b_x))
// The steps across the network grow with the nodes, not with the ranks (the 2D-torus all-reduce of
// Mikami et al. 2018, "Massively Distributed SGD: ImageNet/ResNet-50 Training in a Flash";
// Horovod's hierarchical all-reduce has the same three phases).
//
// Nodes may differ. A share is cut into as many chunks as the largest node has ranks; the ranks of
// a smaller node hold several consecutive chunks each, as evenly as can be, and take part in the
// ring of each. So the bytes that enter and leave a node are the least that an all-reduce between
// nodes needs. With all ranks on one node, or one rank per node, the algorithm is the ring.
namespace ringcast {
namespace {

std::vector<NodeGroups> groups_of_channels(const CollectiveOptions& options) {
  std::vector<NodeGroups> channels;
  for (const RingOrder& order : options.channels) {
    channels.emplace_back(order, options.node_of);
  }
  return channels;
}

/// The ranks that hold each chunk of a channel's share between the phases inside the nodes.
class Holders {
 public:
  Holders(const NodeGroups& nodes, ElementRange share)
      : nodes_{&nodes}, chunks_{share, nodes.widest()} {}

  [[nodiscard]] const NodeGroups& nodes() const { return *nodes_; }
  [[nodiscard]] const Chunks& chunks() const { return chunks_; }
  /// By position in the node.
  [[nodiscard]] ChunkGroups held_on(int node) const {
    return {chunks_, static_cast<int>(nodes_->ranks_of(node).size())};
  }
  /// The rank of a node, modulo the number of nodes, that holds a chunk.
  [[nodiscard]] Rank holder(int node, int chunk) const {
    const int beyond = (node + nodes_->count()) % nodes_->count();
    const int position = held_on(beyond).group_of(chunk);
    return nodes_->ranks_of(beyond)[static_cast<std::size_t>(position)];
  }

 private:
  const NodeGroups* nodes_;
  Chunks chunks_;
};

/// One rank's rings: one per channel inside its node, one per chunk that it holds across the nodes.
class HierarchicalRings {
 public:
  HierarchicalRings(const std::vector<NodeGroups>& channels, std::uint64_t segment,
                    const CollectiveRequest& request, RankContext& self)
      : segment_{segment}, data_{request.data}, self_{&self} {
    const Chunks shares{{0, request.elements}, static_cast<int>(channels.size())};
    for (std::size_t c = 0; c < channels.size(); ++c) {
      channels_.emplace_back(channels[c], shares[static_cast<int>(c)]);
    }
  }

  /// Phases 1 and 3: round the ranks of this node, with a chunk, or several, for each of them.
  void run_inside(RingPhases phases) {
    std::vector<RingChannel> rings;
    for (const Holders& channel : channels_) {
      const auto [node, position] = channel.nodes().place_of(self_->network.rank());
      const std::span<const Rank> ranks = channel.nodes().ranks_of(node);
      const auto place = static_cast<std::size_t>(position);
      const RingNeighbours neighbours{ranks[(place + 1) % ranks.size()],
                                      ranks[(place + ranks.size() - 1) % ranks.size()]};
      rings.emplace_back(neighbours, Tag{static_cast<int>(rings.size())},
                         RingSchedule{phases, position, channel.held_on(node), segment_}, data_,
                         *self_);
    }
    run_together(rings, self_->network);
  }

  /// Phase 2: each chunk round the ranks that hold it, one on each node, under a tag of its own.
  void run_across() {
    std::vector<RingChannel> rings;
    int tag = 0;
    for (const Holders& channel : channels_) {
      const int node = channel.nodes().place_of(self_->network.rank()).node;
      for (int chunk = 0; chunk < channel.chunks().count(); ++chunk, ++tag) {
        if (channel.holder(node, chunk) != self_->network.rank()) {
          continue;
        }
        const RingNeighbours neighbours{channel.holder(node + 1, chunk),
                                        channel.holder(node - 1, chunk)};
        rings.emplace_back(neighbours, Tag{tag},
                           RingSchedule{RingPhases::both, node, channel.nodes().count(),
                                        channel.chunks()[chunk], segment_},
                           data_, *self_);
      }
    }
    run_together(rings, self_->network);
  }

 private:
  std::vector<Holders> channels_;
  std::uint64_t segment_;
  BufferId data_;
  RankContext* self_;
};

}  // namespace

double hierarchical_ring_messages(const CollectiveOptions& options, std::uint64_t elements,
                                  Bytes element_size) {
  const auto round = [&](double ranks, std::uint64_t largest_chunk) {
    return 2 * ranks * (ranks - 1) * message_count(largest_chunk, options, element_size);
  };
  const std::vector<NodeGroups> channels = groups_of_channels(options);
  const Chunks shares{{0, elements}, static_cast<int>(channels.size())};
  double count = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Holders channel{channels[c], shares[static_cast<int>(c)]};
    const int nodes = channel.nodes().count();
    for (int node = 0; node < nodes; ++node) {
      const ChunkGroups held = channel.held_on(node);
      count += round(held.count(), held.largest());
    }
    for (int chunk = 0; chunk < channel.chunks().count(); ++chunk) {
      count += round(nodes, Chunks{channel.chunks()[chunk], nodes}.largest());
    }
  }
  return count;
}

// The ring of a chunk across the nodes cuts it into one for each of them.
std::uint64_t hierarchical_ring_chunks(const CollectiveOptions& options) {
  const NodeGroups nodes{options.channels.front(), options.node_of};
  return options.channels.size() * static_cast<std::uint64_t>(nodes.widest() * nodes.count());
}

RankPart hierarchical_ring_allreduce(CollectiveOptions options) {
  std::vector<NodeGroups> channels = groups_of_channels(options);
  return [options = std::move(options), channels = std::move(channels)](
             const CollectiveRequest& request, RankContext& self) {
    expect_whole_job(options, self.network);
    HierarchicalRings rings{
        channels, segment_elements(options, size_of(self.reducer.reduction().type)), request, self};
    if (channels.front().count() == 1) {
      // One ring: its segments flow from one phase into the other.
      rings.run_inside(RingPhases::both);
      return;
    }
    rings.run_inside(RingPhases::partial_reduce_scatter);
    rings.run_across();
    rings.run_inside(RingPhases::all_gather);
  };
}

}  // namespace ringcast
