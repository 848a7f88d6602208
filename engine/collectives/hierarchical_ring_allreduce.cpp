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
//   1  ring reduce-scatter inside each node: the sum of chunk c over the node ends on the node's
//      rank c. It is not complete, so an average is not divided yet.
//   2  for each chunk, a ring all-reduce across the nodes of the ranks that have it: here 0-2, 1-3.
//   3  ring all-gather inside each node.
//
// Rings may visit the GPUs of nodes in different orders (NCCL's do), but a chunk's holder is the
// same GPU of each node, whose NICs are on one rail of a fabric.
//
// Each phase runs in segments and ends on a rank before that rank begins the next. With m nodes of
// l ranks, n = m l, S the size, a and b the latency and bandwidth of a hop inside (i) or across
// (x), for whole chunks, hops that share no cable, and a reduction that takes no time:
//   T = 2(l-1) (a_i + S/(l b_i)) + 2(m-1) (a_x + S/(n b_x))
// The number of steps across the network is proportional to the nodes, not to the ranks (the
// 2D-torus all-reduce of Mikami et al. 2018, "Massively Distributed SGD: ImageNet/ResNet-50
// Training in a Flash"; Horovod's hierarchical all-reduce has the same three phases).
//
// Nodes may differ. A share is cut into as many chunks as the largest node has ranks; the ranks of
// a smaller node have several consecutive chunks each, as evenly as possible, and take part in the
// ring of each. So each node sends and receives the minimum for an all-reduce between nodes. With
// all ranks on one node, or one rank per node, the algorithm is the ring.
namespace ringcast {
namespace {

/// The ranks of each node, in the order of each channel's ring and by rank.
struct Rings {
  explicit Rings(const CollectiveOptions& options)
      : by_rank{options.channels.front().size(), options.node_of} {
    for (const RingOrder& order : options.channels) {
      channels.emplace_back(order, options.node_of);
    }
  }

  NodeGroups by_rank;
  std::vector<NodeGroups> channels;
};

/// The ranks that hold each chunk of a channel's share between the phases inside the nodes.
class Holders {
 public:
  Holders(const NodeGroups& ring, const NodeGroups& by_rank, ElementRange share)
      : ring_{&ring}, by_rank_{&by_rank}, chunks_{share, ring.widest()} {}

  [[nodiscard]] const NodeGroups& nodes() const { return *ring_; }
  [[nodiscard]] const Chunks& chunks() const { return chunks_; }
  /// The chunks of each rank of a node, by rank.
  [[nodiscard]] ChunkGroups held_on(int node) const {
    return {chunks_, static_cast<int>(ring_->ranks_of(node).size())};
  }
  /// The same, by position in the node's ring.
  [[nodiscard]] ChunkGroups held_in_ring(int node) const {
    std::vector<int> positions;
    for (const Rank rank : ring_->ranks_of(node)) {
      positions.push_back(by_rank_->place_of(rank).position);
    }
    return held_on(node).in_sequence(std::move(positions));
  }
  /// The rank of a node, modulo the number of nodes, that holds a chunk.
  [[nodiscard]] Rank holder(int node, int chunk) const {
    const int beyond = (node + ring_->count()) % ring_->count();
    const int same = by_rank_->place_of(ring_->ranks_of(beyond).front()).node;
    return by_rank_->ranks_of(same)[static_cast<std::size_t>(held_on(beyond).group_of(chunk))];
  }

 private:
  const NodeGroups* ring_;
  const NodeGroups* by_rank_;
  Chunks chunks_;
};

/// For each channel.
std::vector<Holders> holders_of(const Rings& rings, std::uint64_t elements) {
  const Chunks shares{{0, elements}, static_cast<int>(rings.channels.size())};
  std::vector<Holders> found;
  for (const NodeGroups& ring : rings.channels) {
    found.emplace_back(ring, rings.by_rank, shares[static_cast<int>(found.size())]);
  }
  return found;
}

/// One rank's rings: one per channel inside its node, one per chunk that it holds across the nodes.
class HierarchicalRings {
 public:
  HierarchicalRings(const Rings& rings, std::uint64_t segment, const CollectiveRequest& request,
                    RankContext& self)
      : channels_{holders_of(rings, request.elements)},
        segment_{segment},
        data_{request.data},
        self_{&self} {}

  /// Phases 1 and 3: a ring over the ranks of this node, with one or more chunks for each.
  void run_inside(RingPhases phases) {
    std::vector<RingChannel> rings;
    for (const Holders& channel : channels_) {
      const auto [node, position] = channel.nodes().place_of(self_->network.rank());
      const std::span<const Rank> ranks = channel.nodes().ranks_of(node);
      const auto place = static_cast<std::size_t>(position);
      const RingNeighbours neighbours{ranks[(place + 1) % ranks.size()],
                                      ranks[(place + ranks.size() - 1) % ranks.size()]};
      rings.emplace_back(neighbours, Tag{static_cast<int>(rings.size())},
                         RingSchedule{phases, position, channel.held_in_ring(node), segment_},
                         data_, *self_);
    }
    run_together(rings, self_->network);
  }

  /// Phase 2: for each chunk, a ring over its holders, one per node, under a tag of its own.
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
  const auto round = [&](const auto& chunks) {
    return 2.0 * phase_steps(chunks.count()) * chunks.filled() *
           message_count(chunks.largest(), options, element_size);
  };
  const Rings rings{options};
  double count = 0;
  for (const Holders& channel : holders_of(rings, elements)) {
    const int nodes = channel.nodes().count();
    for (int node = 0; node < nodes; ++node) {
      count += round(channel.held_on(node));
    }
    for (int chunk = 0; chunk < channel.chunks().count(); ++chunk) {
      count += round(Chunks{channel.chunks()[chunk], nodes});
    }
  }
  return count;
}

// The ring across the nodes cuts a chunk into one chunk for each node.
std::uint64_t hierarchical_ring_chunks(const CollectiveOptions& options) {
  const NodeGroups nodes{options.channels.front(), options.node_of};
  return options.channels.size() * static_cast<std::uint64_t>(nodes.widest() * nodes.count());
}

RankPart hierarchical_ring_allreduce(CollectiveOptions options) {
  Rings nodes{options};
  return [options = std::move(options), nodes = std::move(nodes)](const CollectiveRequest& request,
                                                                  RankContext& self) {
    expect_whole_job(options, self.network);
    HierarchicalRings rings{
        nodes, segment_elements(options, size_of(self.reducer.reduction().type)), request, self};
    if (nodes.by_rank.count() == 1) {
      // One ring, without a barrier between its phases.
      rings.run_inside(RingPhases::both);
      return;
    }
    rings.run_inside(RingPhases::partial_reduce_scatter);
    rings.run_across();
    rings.run_inside(RingPhases::all_gather);
  };
}

}  // namespace ringcast
