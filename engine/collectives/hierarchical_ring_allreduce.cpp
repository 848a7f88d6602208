#include "engine/collectives/hierarchical_ring_allreduce.hpp"

#include "engine/collectives/ring_channel.hpp"
#include "engine/collectives/segments.hpp"

namespace ringcast {
namespace {

std::vector<NodeGroups> groups_of_channels(const CollectiveOptions& options) {
  std::vector<NodeGroups> channels;
  for (const RingOrder& order : options.channels) {
    channels.emplace_back(order, options.node_of);
  }
  return channels;
}

/// Which ranks hold which chunks of a channel's share.
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
  [[nodiscard]] Rank holder(int node, int chunk) const {
    const int beyond = (node + nodes_->count()) % nodes_->count();
    const int position = held_on(beyond).group_of(chunk);
    return nodes_->ranks_of(beyond)[static_cast<std::size_t>(position)];
  }

 private:
  const NodeGroups* nodes_;
  Chunks chunks_;
};

/// What one rank does.
class Rings {
 public:
  Rings(const std::vector<NodeGroups>& channels, std::uint64_t segment,
        const CollectiveRequest& request, RankContext& self)
      : segment_{segment}, data_{request.data}, self_{&self} {
    const Chunks shares{{0, request.elements}, static_cast<int>(channels.size())};
    for (std::size_t c = 0; c < channels.size(); ++c) {
      channels_.emplace_back(channels[c], shares[static_cast<int>(c)]);
    }
  }

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
    run_together(rings);
  }

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
    run_together(rings);
  }

 private:
  std::vector<Holders> channels_;
  std::uint64_t segment_;
  BufferId data_;
  RankContext* self_;
};

}  // namespace

HierarchicalRingAllreduce::HierarchicalRingAllreduce(CollectiveOptions options)
    : options_{checked(std::move(options))}, channels_{groups_of_channels(options_)} {}

double HierarchicalRingAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
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

void HierarchicalRingAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  Rings rings{channels_, segment_elements(options_, size_of(self.reducer.reduction().type)),
              request, self};
  if (channels_.front().count() == 1) {
    // Not one phase after the other, but as a ring does it.
    rings.run_inside(RingPhases::both);
    return;
  }
  rings.run_inside(RingPhases::partial_reduce_scatter);
  rings.run_across();
  rings.run_inside(RingPhases::all_gather);
}

}  // namespace ringcast
