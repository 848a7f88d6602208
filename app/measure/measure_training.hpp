#pragma once

#include <optional>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/measure/timing.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Measures iterations on every rank of `transport` (its size is the cell's ranks) that this
/// process has; `collectives` are of the cell's algorithm. The same training step as in a
/// prediction: repetition r draws the noise that the prediction's repetition r draws, the row is
/// the middle one, and what computes is the ranks' Processor, so that the row's computation is what
/// it was told to do. Sums of the gradients are checked where the options say so. Rows get the
/// timeline of the rank `timeline`. Bounds of a prediction do not apply: on hardware anything may
/// take longer.
[[nodiscard]] Row measure_training(Transport& transport, const BucketCollectives& collectives,
                                   const PlannedTraining& planned, const Training& training,
                                   const TimingOptions& options, std::optional<Rank> timeline,
                                   const ReportRuns& report = {});

/// The median time of the broadcast of the weights.
[[nodiscard]] Seconds measure_broadcast(Transport& transport, const PlannedTraining& planned,
                                        const TimingOptions& options);

}  // namespace ringcast
