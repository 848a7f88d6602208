#pragma once

#include <vector>

#include "engine/training/training_step.hpp"

namespace ringcast {

/// The time of a forward pass, with pass_overhead.
[[nodiscard]] Seconds time_of_forward(const TrainingStep& step);
/// The computation time before the backward pass whose gradients are all-reduced.
[[nodiscard]] Seconds time_before_last_backward(const TrainingStep& step);
/// The computation time of one iteration, including the optimizer.
[[nodiscard]] Seconds compute_time(const TrainingStep& step);
/// The number of layers whose backward passes end before the all-reduce of `bucket` begins: its
/// own, the later layers of the model, and `launch_ahead` more; all layers without overlap.
[[nodiscard]] std::size_t layers_before(const TrainingStep& step, const Bucket& bucket);
/// For each bucket, the time from the beginning of an iteration to the end of those backward
/// passes, without gathers.
[[nodiscard]] std::vector<Seconds> ready_times(const TrainingStep& step);

/// Throws ContractViolation unless the iteration of one rank took at least as long as its
/// computation and as its all-reduces, and at most as long as their sum. The upper limit does not
/// apply if they slow each other (`compete`).
void expect_possible(const StepTimes& times, bool compete);

}  // namespace ringcast
