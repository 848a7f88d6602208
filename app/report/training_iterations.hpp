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
/// Sets the row's time to that of the slowest rank, and its parts to those of the rank that
/// computes longest; if there are several, of the slowest of them. `ranks`: at least one.
void set_times(Row& row, const std::vector<RankIteration>& ranks);

/// The median repetition of a cell (the lower of two), with the 5th and 95th percentiles by nearest
/// rank. The timeline is that of the median repetition if it has one, else that of the first.
[[nodiscard]] Row merged(std::vector<Row> repetitions);

/// The timeline of a rank's iteration: the computations of the layers in the order of submission,
/// and the all-reduces at their times. The slowdown of computations by reductions is not included.
[[nodiscard]] std::vector<TimelineSpan> timeline_of(const Training& training,
                                                    const TrainingStep& step,
                                                    const StepTimes& times);

}  // namespace ringcast
