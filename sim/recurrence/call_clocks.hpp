#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/schedule/ring_schedule.hpp"
#include "engine/training/training_step.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// A call in which all ranks of a job meet: an all-reduce, or a half of one.
struct MeetingCall {
  std::uint64_t elements = 0;
  RingPhases phases = RingPhases::both;
  friend bool operator==(const MeetingCall&, const MeetingCall&) = default;
};

/// A job whose ranks meet in such calls and nowhere else, as those of a training iteration do.
struct MeetingJob {
  std::vector<Rank> ranks;  // that run, each for all that do the same at the same times
  int size = 1;             // of the whole job
  Reduction reduction;
  const TransportProfile& transport;
  /// Moves the clocks of the ranks that run, in seconds, from their begins of a call to their ends.
  std::function<void(const MeetingCall& call, std::vector<double>& clocks)> advance;
};

struct MeetingTimes {
  Seconds last_end{0};
  std::vector<Interval> calls;  // of each rank that ran: the sums of its calls' begins and ends
};

/// May wait for nothing but its computations, and the collectives it is given.
using MeetingProgram = std::function<void(const BucketCollectives&, RankContext&)>;

/// Runs the program on these ranks; `in_halves`: with a collective for each half of an all-reduce.
/// Each rank has a clock of its own, which its computations advance, and MeetingJob::advance once
/// all ranks are in a call.
[[nodiscard]] MeetingTimes run_between_calls(const MeetingJob& job, const MeetingProgram& program,
                                             bool in_halves);

}  // namespace ringcast
