#include "engine/collectives/ring_channel.hpp"

#include <algorithm>

#include "engine/collectives/collective_options.hpp"

namespace ringcast {

RingChannel::RingChannel(RingNeighbours neighbours, Tag tag, RingSchedule schedule, BufferId data,
                         RankContext& self)
    : neighbours_{neighbours},
      tag_{tag},
      schedule_{schedule},
      depth_{static_cast<std::size_t>(std::min(schedule.segments(), most_under_way))},
      data_{data},
      self_{&self} {}

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

void run_together(std::vector<RingChannel>& channels) {
  std::int64_t transfers = 0;
  for (const RingChannel& channel : channels) {
    transfers = std::max(transfers, channel.count());
  }
  for (std::int64_t i = 0; i < transfers; ++i) {
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

}  // namespace ringcast
