#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/config/plan.hpp"
#include "app/measure/timing.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The cells that a measurement of the scenario has, in the order in which they are measured; the
/// ranks outermost. Algorithms of other libraries have no ring orders, channels and segments: one
/// cell each. Throws ScenarioError for what cannot be measured.
[[nodiscard]] std::vector<PlannedCell> plan_measurement(const Scenario& scenario,
                                                        const std::vector<int>& node_of);

/// Measures a cell, on every rank of `transport` (its size is the cell's ranks) that this process
/// has. `collective` is the cell's algorithm.
[[nodiscard]] Row measure_cell(Transport& transport, const Collective& collective,
                               const PlannedCell& planned, const TimingOptions& options,
                               const ReportRuns& report = {});

}  // namespace ringcast
