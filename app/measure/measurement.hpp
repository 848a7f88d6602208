#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/measure/timing.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The cells that a measurement of the scenario has, in the order in which they are measured; the
/// ranks outermost. Algorithms of other libraries have no ring orders, channels and segments: one
/// cell each. Without a training the steps are empty. Throws ScenarioError for what cannot be
/// measured.
[[nodiscard]] std::vector<PlannedTraining> plan_measurement(const Scenario& scenario,
                                                            const std::vector<int>& node_of);

/// Measures a cell, on every rank of `transport` (its size is the cell's ranks) that this process
/// has. `collective` is the cell's algorithm.
[[nodiscard]] Row measure_cell(Transport& transport, const Collective& collective,
                               const PlannedCell& planned, const TimingOptions& options,
                               const ReportRuns& report = {});

/// The memory that a rank takes for a cell in host memory: its buffer, and the algorithm's scratch;
/// of a training the gradients, weights where these have buffers of their own, and scratch for the
/// largest bucket.
[[nodiscard]] Bytes memory_of(const PlannedTraining& planned);

/// Empty, or why `ranks` ranks of this host cannot run a cell of which each takes `each`: they need
/// more than the host has available.
[[nodiscard]] std::string memory_shortage(Bytes each, int ranks, const std::string& host);

}  // namespace ringcast
