#pragma once

#include <span>

#include "app/config/scenario/training_plan.hpp"
#include "topology/routes/lower_bound.hpp"

namespace ringcast {

/// A lower bound of the time of an iteration, without simulating it.
///
/// Asynchronous training is bounded by its links. If a link carries B bytes or more in a round of
/// each worker that uses it, at b bytes/s, these workers make at most b/B rounds per second
/// together, and each of the others at most as many as its slowest link admits. In the window of
/// mean_round() a worker ends n >= window_rounds rounds, of which one may have begun earlier, and
/// its rate is that of at most n + 1. Synchronous training: synchronous_iteration_bound().
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
