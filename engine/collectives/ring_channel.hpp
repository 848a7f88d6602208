#pragma once

#include <optional>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {

/// A rank's two peers in a ring: it sends to `next` and receives from `previous`.
struct RingNeighbours {
  Rank next;
  Rank previous;
};

/// One rank's transfers in one ring, which may consist of some ranks of the job only. As many
/// transfers are in flight as a chunk has segments, at most max_in_flight.
class RingChannel {
 public:
  RingChannel(RingNeighbours neighbours, Tag tag, RingSchedule schedule, BufferId data,
              RankContext& self);

  [[nodiscard]] std::int64_t count() const { return schedule_.count(); }
  [[nodiscard]] const RingSchedule& schedule() const { return schedule_; }
  /// Starts transfer `index`; waits for the transfer that it depends on first.
  void start(std::int64_t index);
  void finish_all();

 private:
  struct InFlight {
    std::optional<Pending> received;
    std::optional<Pending> sent;
    Slice incoming;
    bool completes = false;
  };

  void finish_oldest();
  [[nodiscard]] Slice slice(ElementRange range) const;

  RingNeighbours neighbours_;
  Tag tag_;
  RingSchedule schedule_;
  std::size_t depth_;
  BufferId data_;
  RankContext* self_;
  Fifo<InFlight> in_flight_;
};

/// Runs a rank's rings to completion, starting a transfer of each in turn, except for the steps
/// that the network accounts for by itself (Endpoint::repeats). All ranks must have their common
/// rings in the same order.
void run_together(std::vector<RingChannel>& channels, Endpoint& network);

}  // namespace ringcast
