#pragma once

#include <optional>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/measure/timing.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Measures iterations on the ranks of `transport` (its size is the cell's ranks) that this process
/// has. `collectives`: those of the cell's algorithm. The training step is that of a prediction,
/// and repetition r draws the same noise. The row is the median repetition. Computation is done by
/// the ranks' Processor, which takes the given times. Sums of the gradients are checked if the
/// options ask for it. The row gets the timeline of the rank `timeline`.
[[nodiscard]] Row measure_training(Transport& transport, const BucketCollectives& collectives,
                                   const PlannedTraining& planned, const Training& training,
                                   const TimingOptions& options, std::optional<Rank> timeline,
                                   const ReportRuns& report = {});

/// The median time of the broadcast of the weights.
[[nodiscard]] Seconds measure_broadcast(Transport& transport, const PlannedTraining& planned,
                                        const TimingOptions& options);

}  // namespace ringcast
