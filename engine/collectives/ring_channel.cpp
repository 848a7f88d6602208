#include "engine/collectives/ring_channel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/collectives/collective_options.hpp"

// The ring. n ranks have positions 0 .. n-1, and the buffer is cut into n chunks. In every step
// each rank sends one chunk to its next neighbour and receives another from its previous one, so
// that each link of the ring carries one chunk. For 4 ranks in ring order:
//
//         reduce-scatter: x += received      all-gather: x = received
//   step     0          1          2            3          4          5
//   rank 0  c3 -> 1    c2 -> 1    c1 -> 1      c0 -> 1    c3 -> 1    c2 -> 1
//   rank 1  c0 -> 2    c3 -> 2    c2 -> 2      c1 -> 2    c0 -> 2    c3 -> 2
//   rank 2  c1 -> 3    c0 -> 3    c3 -> 3      c2 -> 3    c1 -> 3    c0 -> 3
//   rank 3  c2 -> 0    c1 -> 0    c0 -> 0      c3 -> 0    c2 -> 0    c1 -> 0
//
// Position p sends chunk p-1-s in step s of the reduce-scatter, and p-s in step s of the all-gather
// (modulo n). Chunk c0, for example: rank 1 sends x1, rank 2 sends x2+x1, rank 3 sends x3+(x2+x1),
// and rank 0, its owner, completes x0+(x3+(x2+x1)). The all-gather then copies it around the ring.
//
// Links would be idle while a whole chunk is combined. So chunks are sent in segments, and a step
// is a run of transfers, one per segment. For each transfer, start() does this:
//   1. If as many transfers are in flight as a chunk has segments, wait for the oldest: it receives
//      the segment that this transfer sends. The younger ones continue meanwhile. (If there are
//      more segments than max_in_flight, fewer are in flight, and that segment has arrived before.)
//   2. Post the receive first, since a send may block until its receive is posted.
//   3. Post the send of the segment that arrived one step ago.
// A rank waits for its oldest transfer only, and the oldest transfer that any rank waits for has
// been started on both sides, so the ring cannot deadlock.
//
// Every rank gets the same bits in every run. Each element is summed once, along one path, in ring
// order (which determines the rounding of floating-point sums), and the all-gather copies bytes.
// Neither timing nor the segment size affects the order: messages of one tag match their receives
// in order, and segments are cut from chunks.
namespace ringcast {

RingChannel::RingChannel(RingNeighbours neighbours, Tag tag, RingSchedule schedule, BufferId data,
                         RankContext& self)
    : neighbours_{neighbours},
      tag_{tag},
      schedule_{std::move(schedule)},
      depth_{static_cast<std::size_t>(std::min(schedule_.segments(), max_in_flight))},
      data_{data},
      self_{&self} {}

namespace {

/// The number of transfers per step if it is the same in all channels; otherwise 0.
int common_step(const std::vector<RingChannel>& channels) {
  const auto segments = [](const RingChannel& channel) { return channel.schedule().segments(); };
  const bool alike = std::ranges::all_of(channels, [&](const RingChannel& channel) {
    return segments(channel) == segments(channels.front());
  });
  return alike && !channels.empty() ? segments(channels.front()) : 0;
}

std::int64_t steps_like_last(const std::vector<RingChannel>& channels, std::int64_t step) {
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  for (const RingChannel& channel : channels) {
    const int alike = channel.schedule().steps_like_last(static_cast<int>(step));
    steps = std::min(steps, static_cast<std::int64_t>(alike));
  }
  return steps;
}

/// The next transfer that has elements in some channel; with fewer elements than ranks most have
/// none.
std::int64_t next_filled(const std::vector<RingChannel>& channels, std::int64_t index) {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const RingChannel& channel : channels) {
    next = std::min(next, index < channel.count() ? channel.schedule().next_filled(index) : next);
  }
  return next;
}

}  // namespace

void run_together(std::vector<RingChannel>& channels, Endpoint& network) {
  std::int64_t transfers = 0;
  for (const RingChannel& channel : channels) {
    transfers = std::max(transfers, channel.count());
  }
  const int step = common_step(channels);
  for (std::int64_t i = next_filled(channels, 0); i < transfers; i = next_filled(channels, i + 1)) {
    if (step > 0 && i % step == 0) {
      const std::int64_t alike = steps_like_last(channels, i / step);
      i += alike > 0 ? step * network.repeats({alike}) : 0;
    }
    for (RingChannel& channel : channels) {
      if (i < channel.count()) {
        channel.start(i);
      }
    }
  }
  for (RingChannel& channel : channels) {
    channel.finish_all();
  }
}

void RingChannel::start(std::int64_t index) {
  if (in_flight_.size() == depth_) {
    finish_oldest();
  }
  const Transfer transfer = schedule_[index];
  InFlight in_flight;
  in_flight.incoming = slice(transfer.incoming);
  in_flight.completes = transfer.arrival == Arrival::completes;
  // With fewer elements than ranks some slices are empty; both neighbours know which, and skip.
  if (transfer.incoming.count > 0) {
    in_flight.received.emplace(
        transfer.arrival == Arrival::replaces
            ? self_->network.recv(neighbours_.previous, in_flight.incoming, tag_)
            : self_->network.recv_accumulate(neighbours_.previous, in_flight.incoming, tag_));
  }
  if (transfer.outgoing.count > 0) {
    in_flight.sent.emplace(self_->network.send(neighbours_.next, slice(transfer.outgoing), tag_));
  }
  in_flight_.push_back(std::move(in_flight));
}

void RingChannel::finish_oldest() {
  InFlight oldest = in_flight_.pop_front();
  if (oldest.received) {
    oldest.received->wait();
    if (oldest.completes) {
      // The last step of the reduce-scatter: an average is divided once, by the chunk's owner.
      self_->reducer.finish(oldest.incoming, self_->network.size()).wait();
    }
  }
  if (oldest.sent) {
    oldest.sent->wait();
  }
}

void RingChannel::finish_all() {
  while (!in_flight_.empty()) {
    finish_oldest();
  }
}

Slice RingChannel::slice(ElementRange range) const {
  return slice_of(data_, range, size_of(self_->reducer.reduction().type));
}

}  // namespace ringcast
