#include "engine/collectives/ring_collectives.hpp"

#include "engine/collectives/ring_channel.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/numbers/error.hpp"
#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {
namespace {

void run_ring(const CollectiveOptions& options, RingPhases phases, const CollectiveRequest& request,
              RankContext& self) {
  expect_whole_job(options, self.network);
  const int channel_count = static_cast<int>(options.channels.size());
  const Chunks shares{{0, request.elements}, channel_count};
  const std::uint64_t segment = segment_elements(options, size_of(self.reducer.reduction().type));

  std::vector<RingChannel> channels;
  for (int c = 0; c < channel_count; ++c) {
    const RingOrder& ring = options.channels[static_cast<std::size_t>(c)];
    const Rank rank = self.network.rank();
    channels.emplace_back(
        RingNeighbours{ring.next(rank), ring.previous(rank)}, Tag{c},
        RingSchedule{phases, ring.position_of(rank), ring.size(), shares[c], segment}, request.data,
        self);
  }
  run_together(channels);
}

}  // namespace

RingReduceScatter::RingReduceScatter(CollectiveOptions options)
    : options_{checked(std::move(options))} {}
RingAllGather::RingAllGather(CollectiveOptions options) : options_{checked(std::move(options))} {}
RingAllreduce::RingAllreduce(CollectiveOptions options) : options_{checked(std::move(options))} {}

void RingReduceScatter::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::reduce_scatter, request, self);
}
void RingAllGather::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::all_gather, request, self);
}
void RingAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::both, request, self);
}

double RingAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                               Bytes element_size) {
  const int ranks = options.channels.front().size();
  const int channel_count = static_cast<int>(options.channels.size());
  const double each_step = 2.0 * ranks * phase_steps(ranks);
  double count = 0;
  for (int channel = 0; channel < channel_count; ++channel) {
    const Chunks chunks{Chunks{{0, elements}, channel_count}[channel], ranks};
    count += each_step * message_count(chunks.largest(), options, element_size);
  }
  return count;
}

RingBroadcast::RingBroadcast(CollectiveOptions options, Rank root)
    : options_{checked(std::move(options))}, root_{root} {
  const int ranks = options_.channels.front().size();
  expect(index_of(root) >= 0 && index_of(root) < ranks, "root {} of {} ranks", index_of(root),
         ranks);
}

void RingBroadcast::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  Endpoint& network = self.network;
  const Bytes element_size = size_of(self.reducer.reduction().type);
  const int channel_count = static_cast<int>(options_.channels.size());
  const Chunks shares{{0, request.elements}, channel_count};
  const int segments = segment_count(shares.largest(), segment_elements(options_, element_size));

  std::vector<Pending> sent;
  for (int i = 0; i < segments; ++i) {
    for (int c = 0; c < channel_count; ++c) {
      const RingOrder& ring = options_.channels[static_cast<std::size_t>(c)];
      const Slice segment = slice_of(request.data, Chunks{shares[c], segments}[i], element_size);
      if (segment.length == Bytes{0}) {
        continue;
      }
      if (network.rank() != root_) {
        network.recv(ring.previous(network.rank()), segment, Tag{c}).wait();
      }
      if (ring.next(network.rank()) != root_) {
        sent.push_back(network.send(ring.next(network.rank()), segment, Tag{c}));
      }
    }
  }
  for (Pending& send : sent) {
    send.wait();
  }
}

}  // namespace ringcast
