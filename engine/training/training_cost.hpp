#pragma once

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
/// The end of those passes, for each bucket, from the beginning of an iteration whose weights are
/// there.
[[nodiscard]] std::vector<Seconds> ready_times(const TrainingStep& step);

/// Throws ContractViolation unless the iteration of one rank took as long as both its computation
/// and its all-reduces, and no longer than one after the other: a rank that is in no all-reduce
/// waits for its computation. The latter does not hold where they slow each other (`compete`).
void expect_possible(const StepTimes& times, bool compete);

}  // namespace ringcast
