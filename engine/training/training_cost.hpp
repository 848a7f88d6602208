#pragma once

#include <span>
#include <vector>

#include "engine/training/training_step.hpp"

namespace ringcast {

/// A forward pass with what begins it.
[[nodiscard]] Seconds time_of_forward(const TrainingStep& step);
/// A rank's computation before the backward pass whose gradients are all-reduced.
[[nodiscard]] Seconds time_before_last_backward(const TrainingStep& step);
/// A rank's computation in one iteration, the optimizer included.
[[nodiscard]] Seconds compute_time(const TrainingStep& step);
/// The number of layers whose backward passes end before the all-reduce of `bucket` begins: its
/// own, those behind them, and `launch_ahead` more; without overlap all.
[[nodiscard]] std::size_t layers_before(const TrainingStep& step, const Bucket& bucket);
/// The end of those passes, for each bucket, from the beginning of the iteration. `gathers`: how
/// long each bucket's weights take to come, with weights_before_forward.
[[nodiscard]] std::vector<Seconds> ready_times(const TrainingStep& step,
                                               std::span<const Seconds> gathers = {});

/// One iteration of ranks that are equally fast, if the buckets' all-reduces take `allreduces`,
/// whatever runs beside them and whoever comes late:
/// an all-reduce begins when its bucket is ready and the one before has ended,
///   e(k) = max(e(k-1), ready(k)) + a(k), and the optimizer when the last has ended.
/// Without overlap all are ready after backward: compute + sum of the all-reduces.
/// With weights_before_forward a(k) is the first half, and g(k) the second: from the last bucket to
/// the first they come one after the other, and the forward pass of layer l begins when its
/// bucket's have come and layer l-1 has ended; without overlap when all have come.
[[nodiscard]] Seconds iteration_time(const TrainingStep& step, std::span<const Seconds> allreduces,
                                     std::span<const Seconds> gathers = {});

/// Throws ContractViolation unless the iteration of one rank took as long as both its computation
/// and its all-reduces, and no longer than one after the other: a rank that is in no all-reduce
/// waits for its computation. The latter does not hold where they slow each other (`compete`).
void expect_possible(const StepTimes& times, bool compete);

}  // namespace ringcast
