#pragma once

#include <optional>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {

/// To whom a rank sends in a ring, and from whom it receives.
struct RingNeighbours {
  Rank next;
  Rank previous;
};

/// What one rank does in one ring, which may be one of some ranks of the job only: the transfers of
/// its schedule, oldest first, as many under way at once as a chunk has segments.
class RingChannel {
 public:
  RingChannel(RingNeighbours neighbours, Tag tag, RingSchedule schedule, BufferId data,
              RankContext& self);

  [[nodiscard]] std::int64_t count() const { return schedule_.count(); }
  /// Starts transfer `index`, once the transfer it depends on has ended.
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

/// Runs the rings of a rank to their ends, a transfer of each in turn. All ranks must have the
/// rings that they share in the same sequence.
void run_together(std::vector<RingChannel>& channels);

}  // namespace ringcast
