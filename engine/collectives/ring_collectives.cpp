#include <algorithm>
#include <functional>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/ring_channel.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/numbers/error.hpp"
#include "engine/schedule/ring_schedule.hpp"

// Ring collectives. ring_channel.cpp explains one rank's part in a ring, with a drawing; here are
// the phases, and how several rings (channels) share a buffer. For 4 ranks, with chunk c of rank r
// as r's letter, upper case when it is complete:
//
//              before      reduce-scatter      all-gather
//   rank 0   a a a a         A . . .            A B C D     A = sum of every rank's chunk 0, ...
//   rank 1   b b b b         . B . .            A B C D     . = a partial sum
//   rank 2   c c c c         . . C .            A B C D
//   rank 3   d d d d         . . . D            A B C D
//
//   reduce-scatter  n-1 steps; chunk p of each channel's share ends complete at position p.
//   all-gather      n-1 steps; the same chunks, copied from position p to all others.
//   all-reduce      one after the other, 2(n-1) steps, without a barrier between the phases.
//
// With S the size, a the latency and b the bandwidth of a hop, g the reduction time per byte:
//   T = 2(n-1) (a + S/(n b)) + (n-1) S/n g
// for whole chunks; tests/ring_cost.hpp has it in segments.
// Each rank sends 2(n-1)/n S, the least that any all-reduce can (Patarasuk and Yuan 2009,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations"; brought to deep learning
// by Baidu: Gibiansky 2017, "Bringing HPC Techniques to Deep Learning"). Its latency is linear in
// n.
//
// Each channel runs the whole algorithm on its own share of the buffer, over its own ring, under
// its own tag; a rank starts one transfer of each channel in turn (run_together).
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
  run_together(channels, self.network);
}

/// The number of hops from the root to a rank in each ring.
std::vector<int> hops_behind(Rank root, std::span<const RingOrder> rings, Rank rank) {
  std::vector<int> hops;
  for (const RingOrder& ring : rings) {
    const int behind = ring.position_of(rank) - ring.position_of(root);
    hops.push_back(behind < 0 ? behind + ring.size() : behind);
  }
  return hops;
}

/// A segment of a channel that a rank receives or, as the root, sends.
struct DueSegment {
  std::size_t channel;
  Slice data;
};

/// The segments of all channels that are due in a step on a rank, `hops` behind the root in each.
template <typename SegmentOf>
std::vector<DueSegment> due_in(int step, const std::vector<int>& hops, int segments,
                               const SegmentOf& segment_of) {
  std::vector<DueSegment> due;
  for (std::size_t channel = 0; channel < hops.size(); ++channel) {
    const int i = step - hops[channel];
    if (i < 0 || i >= segments) continue;
    const Slice data = segment_of(channel, i);
    if (data.length > Bytes{0}) due.push_back({channel, data});
  }
  return due;
}

// Broadcast: the root's segments are forwarded around the ring, up to the root's previous
// neighbour. With k segments of a channel's share, T = (n-1) (a + t) + (k-1) t, t = S/(k b): the
// ring is a pipeline that takes n-1 hops to fill.
//
// A rank d hops behind the root handles segment i in step d + i, in all channels in this order. If
// rings differ, a rank is near the root in some and far from it in others; waiting for the far ones
// first would delay the near ones. A window of sends that is full waits for a send of an earlier
// step, which the next rank receives in the step after it, so there is no deadlock.
void ring_broadcast(const CollectiveOptions& options, Rank root, const CollectiveRequest& request,
                    RankContext& self) {
  expect_whole_job(options, self.network);
  Endpoint& network = self.network;
  const Rank me = network.rank();
  const Bytes element_size = size_of(self.reducer.reduction().type);
  const Chunks shares{{0, request.elements}, static_cast<int>(options.channels.size())};
  const int segments = segment_count(shares.largest(), segment_elements(options, element_size));
  const auto segment_of = [&](std::size_t channel, int i) {
    return slice_of(request.data, Chunks{shares[static_cast<int>(channel)], segments}[i],
                    element_size);
  };
  const std::vector<int> hops = hops_behind(root, options.channels, me);
  const auto receives_of = [&](const std::vector<DueSegment>& due) {
    std::vector<Pending> received;
    for (const auto& [channel, data] : due) {
      const Tag tag{static_cast<int>(channel)};
      received.push_back(network.recv(options.channels[channel].previous(me), data, tag));
    }
    return received;
  };
  std::vector<Window> sent(options.channels.size());
  const int last = std::ranges::max(hops) + segments;
  for (int step = std::ranges::min(hops); step < last; ++step) {
    const std::vector<DueSegment> due = due_in(step, hops, segments, segment_of);
    std::vector<Pending> received = me == root ? std::vector<Pending>{} : receives_of(due);
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (me != root) received[i].wait();
      const auto& [channel, data] = due[i];
      const Rank next = options.channels[channel].next(me);
      if (next != root) {
        sent[channel].add(network.send(next, data, Tag{static_cast<int>(channel)}));
      }
    }
  }
  for (Window& window : sent) {
    window.wait_all();
  }
}

}  // namespace

RankPart ring_reduce_scatter(CollectiveOptions options) {
  return std::bind_front(run_ring, std::move(options), RingPhases::reduce_scatter);
}
RankPart ring_all_gather(CollectiveOptions options) {
  return std::bind_front(run_ring, std::move(options), RingPhases::all_gather);
}
RankPart ring_allreduce(CollectiveOptions options) {
  return std::bind_front(run_ring, std::move(options), RingPhases::both);
}

std::vector<RingOrder> rings_of_ring(const CollectiveOptions& options) {
  return options.channels;
}

double ring_messages(const CollectiveOptions& options, std::uint64_t elements, Bytes element_size) {
  const int ranks = options.channels.front().size();
  const int channel_count = static_cast<int>(options.channels.size());
  const double each_chunk = 2.0 * phase_steps(ranks);
  double count = 0;
  for (int channel = 0; channel < channel_count; ++channel) {
    const Chunks chunks{Chunks{{0, elements}, channel_count}[channel], ranks};
    count += each_chunk * chunks.filled() * message_count(chunks.largest(), options, element_size);
  }
  return count;
}

std::uint64_t ring_chunks(const CollectiveOptions& options) {
  return options.channels.size() * static_cast<std::uint64_t>(options.channels.front().size());
}

std::unique_ptr<Collective> make_ring_broadcast(CollectiveOptions options, Rank root) {
  CollectiveOptions valid = checked(std::move(options));
  const int ranks = valid.channels.front().size();
  expect(index_of(root) >= 0 && index_of(root) < ranks, "root {} of {} ranks", index_of(root),
         ranks);
  return make_collective("ring-broadcast", std::bind_front(ring_broadcast, std::move(valid), root));
}

}  // namespace ringcast
