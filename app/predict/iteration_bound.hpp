#pragma once

#include <span>

#include "app/config/scenario/training_plan.hpp"
#include "topology/routes/lower_bound.hpp"

namespace ringcast {

/// A lower bound of the time of an iteration, without simulating it.
///
/// Asynchronous training is bounded by the busiest link: a server answers the pushes of all workers
/// in turn. So when the first worker has its answers of round r, all pushes and answers of earlier
/// rounds have been delivered. If a link carries B bytes of each round at b bytes/s, r rounds of a
/// worker take at least (r - 1) B / b. Synchronous training: synchronous_iteration_bound().
[[nodiscard]] Seconds iteration_bound(const PlannedTraining& planned, const Scenario& scenario,
                                      const Topology& topology);

/// A lower bound of the time of an iteration of synchronous training on a machine whose ranks are
/// at the vertices `places`. All gradients are sent after the backward passes before the first
/// bucket and before the optimizer, so the time of these computations and the bandwidth bound of
/// the all-reduce add up. If weights are gathered before the forward pass, or jitter may shorten a
/// computation, it is the bound of the all-reduce alone.
[[nodiscard]] LowerBound synchronous_iteration_bound(const PlannedTraining& planned,
                                                     const ComputationNoise& noise,
                                                     const Topology& machine,
                                                     std::span<const int> places);

}  // namespace ringcast
