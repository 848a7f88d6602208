#include "engine/ring_collectives.hpp"

#include <algorithm>

#include "engine/error.hpp"
#include "engine/fifo.hpp"
#include "engine/ring_schedule.hpp"
#include "engine/segments.hpp"

namespace ringcast {
namespace {

/// One channel of a collective on one rank: the transfers under way, oldest first.
class Channel {
 public:
  Channel(const RingOrder& ring, Tag tag, RingSchedule schedule, BufferId data, RankContext& self)
      : next_{ring.next(self.network.rank())},
        previous_{ring.previous(self.network.rank())},
        tag_{tag},
        schedule_{schedule},
        depth_{static_cast<std::size_t>(std::min(schedule.segments(), most_under_way))},
        data_{data},
        self_{&self} {}

  [[nodiscard]] std::int64_t count() const { return schedule_.count(); }

  /// Starts transfer `index`, once the transfer it depends on has ended.
  void start(std::int64_t index) {
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
              ? self_->network.recv(previous_, in_flight.incoming, tag_)
              : self_->network.recv_accumulate(previous_, in_flight.incoming, tag_));
    }
    if (transfer.outgoing.count > 0) {
      in_flight.sent.emplace(self_->network.send(next_, slice(transfer.outgoing), tag_));
    }
    in_flight_.push_back(std::move(in_flight));
  }

  void finish_oldest() {
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

  void finish_all() {
    while (!in_flight_.empty()) {
      finish_oldest();
    }
  }

 private:
  struct InFlight {
    std::optional<Pending> received;
    std::optional<Pending> sent;
    Slice incoming;
    bool completes = false;
  };

  [[nodiscard]] Slice slice(ElementRange range) const {
    return slice_of(data_, range, size_of(self_->reducer.reduction().type));
  }

  Rank next_;
  Rank previous_;
  Tag tag_;
  RingSchedule schedule_;
  std::size_t depth_;
  BufferId data_;
  RankContext* self_;
  Fifo<InFlight> in_flight_;
};

void run_ring(const RingOptions& options, RingPhases phases, const CollectiveRequest& request,
              RankContext& self) {
  expect_whole_job(options, self.network);
  const int channel_count = static_cast<int>(options.channels.size());
  const Chunks shares{{0, request.elements}, channel_count};
  const std::uint64_t segment = segment_elements(options, size_of(self.reducer.reduction().type));

  std::vector<Channel> channels;
  std::int64_t transfers = 0;
  for (int c = 0; c < channel_count; ++c) {
    const RingOrder& ring = options.channels[static_cast<std::size_t>(c)];
    channels.emplace_back(ring, Tag{c},
                          RingSchedule{phases, ring.position_of(self.network.rank()), ring.size(),
                                       shares[c], segment},
                          request.data, self);
    transfers = std::max(transfers, channels.back().count());
  }

  for (std::int64_t i = 0; i < transfers; ++i) {
    for (Channel& channel : channels) {
      if (i < channel.count()) {
        channel.start(i);
      }
    }
  }
  for (Channel& channel : channels) {
    channel.finish_all();
  }
}

}  // namespace

RingReduceScatter::RingReduceScatter(RingOptions options) : options_{checked(std::move(options))} {}
RingAllGather::RingAllGather(RingOptions options) : options_{checked(std::move(options))} {}
RingAllreduce::RingAllreduce(RingOptions options) : options_{checked(std::move(options))} {}

void RingReduceScatter::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::reduce_scatter, request, self);
}
void RingAllGather::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::all_gather, request, self);
}
void RingAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  run_ring(options_, RingPhases::both, request, self);
}

double RingAllreduce::messages(const RingOptions& options, std::uint64_t elements,
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

RingBroadcast::RingBroadcast(RingOptions options, Rank root)
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
