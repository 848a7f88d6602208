#pragma once

#include <vector>

#include "app/report/result.hpp"
#include "engine/training/training_step.hpp"

namespace ringcast {

/// One rank's times in one iteration.
struct RankIteration {
  Seconds whole{0};
  Seconds compute{0};
  Seconds allreduces{0};
};
/// The row's time is the slowest rank's; the parts are those of the rank that computes longest, and
/// of several the one that takes longest. One rank at least.
void set_times(Row& row, const std::vector<RankIteration>& ranks);

/// The middle one of all repetitions of a cell (the earlier of two), with the band from 5 %
/// to 95 %, by nearest rank. The timeline is the middle one's where it has any, else the first's.
[[nodiscard]] Row merged(std::vector<Row> repetitions);

/// The timeline of a rank's iteration: layer by layer as its processor was given the work, and the
/// all-reduces as they ran. What computations lose to reductions is not in it.
[[nodiscard]] std::vector<TimelineSpan> timeline_of(const Training& training,
                                                    const TrainingStep& step,
                                                    const StepTimes& times);

}  // namespace ringcast
