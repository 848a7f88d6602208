#pragma once

#include <span>

#include "app/config/scenario/training_plan.hpp"
#include "topology/routes/lower_bound.hpp"

namespace ringcast {

/// A lower bound of the time of an iteration, without simulating it.
///
/// Asynchronous training is bounded by the busiest link: a server answers the pushes of all workers
/// in turn. So when the first worker has its answers of the last of r rounds, all pushes and
/// answers of the rounds before have been delivered. If a link carries B bytes of each round at b
/// bytes/s, no worker's r rounds take less than (r - 1) B / b. Else synchronous_iteration_bound().
[[nodiscard]] Seconds iteration_bound(const PlannedTraining& planned, const Scenario& scenario,
                                      const Topology& topology);

/// A lower bound of the time of an iteration of synchronous training on a machine whose ranks are
/// at the vertices `places`. All gradients travel after the backward passes before the first bucket
/// and before the optimizer: this computation and the bandwidth bound of the all-reduce add up.
/// Weights that come before forward travel at other times, and jitter may shorten a computation:
/// then it is the bound of the all-reduce alone.
[[nodiscard]] LowerBound synchronous_iteration_bound(const PlannedTraining& planned,
                                                     const ComputationNoise& noise,
                                                     const Topology& machine,
                                                     std::span<const int> places);

}  // namespace ringcast
