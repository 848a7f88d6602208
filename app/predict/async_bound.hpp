#pragma once

#include "app/config/training_plan.hpp"
#include "topology/topology.hpp"

namespace ringcast {

/// A lower bound of the time of an iteration of asynchronous training, by the busiest link.
///
/// A server answers the pushes of all workers in turn. So when the first worker has its answers of
/// the last of r rounds, all pushes and answers of the rounds before have been delivered. If a link
/// carries B bytes of each round at b bytes/s, no worker's r rounds take less than (r - 1) B / b.
[[nodiscard]] Seconds async_iteration_bound(const PlannedTraining& planned,
                                            const Scenario& scenario, const Topology& topology);

}  // namespace ringcast
