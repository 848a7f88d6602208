#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/schedule/ring_schedule.hpp"
#include "engine/training/training_step.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// A collective call of all ranks of a job: an all-reduce, or a half of one.
struct CollectiveCall {
  std::uint64_t elements = 0;
  RingPhases phases = RingPhases::both;
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

/// A job whose ranks communicate in such calls only, as in a training iteration.
struct ClockedJob {
  std::vector<Rank> ranks;  // that run; each represents ranks that do the same at the same times
  int size = 1;             // of the whole job
  Reduction reduction;
  const TransportProfile& transport;
  /// Advances the clocks of the ranks that run, in seconds, from their begins of a call to their
  /// ends.
  std::function<void(const CollectiveCall& call, std::vector<double>& clocks)> advance;
};

struct CallTimes {
  Seconds last_end{0};
  std::vector<Interval> calls;  // of each rank that ran: the sums of its calls' begins and ends
};

/// A rank program that waits for its computations and the given collectives only.
using ClockedProgram = std::function<void(const BucketCollectives&, RankContext&)>;

/// Runs the program on these ranks; `in_halves`: with a collective for each half of an all-reduce.
/// Each rank has its own clock. Computations advance it, and ClockedJob::advance does once all
/// ranks are in a call. Throws ContractViolation if ranks are in different calls, or send messages.
[[nodiscard]] CallTimes run_between_calls(const ClockedJob& job, const ClockedProgram& program,
                                          bool in_halves);

}  // namespace ringcast
