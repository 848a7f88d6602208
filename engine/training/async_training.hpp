#pragma once

#include <functional>
#include <vector>

#include "engine/training/training_step.hpp"

namespace ringcast {

/// The iterations that the throughput of an asynchronous training is taken over: the first pushes
/// of all workers arrive at once, later ones have found their turns.
inline constexpr int async_rounds = 8;

/// Training without a barrier (ParameterServerAsync): a worker computes, pushes all gradients and
/// pulls what the servers have then, and goes on; `rounds` times. Nothing overlaps. Every rank
/// calls it; those in `servers` only serve. The computation of a round takes `slowness(round)`
/// times as long. All times of a worker together; of a server only the whole.
[[nodiscard]] StepTimes train_asynchronously(const TrainingStep& step,
                                             const std::vector<Rank>& servers, int rounds,
                                             const std::function<double(int)>& slowness,
                                             RankContext& self);

}  // namespace ringcast
