#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/measure/timing.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The cells of a measurement in the order in which they are measured, the ranks outermost. An
/// algorithm of another library has no ring orders, channels and segments, hence one cell. Without
/// a training the steps are empty. Throws ScenarioError if the scenario cannot be measured.
[[nodiscard]] std::vector<PlannedTraining> plan_measurement(const Scenario& scenario,
                                                            const std::vector<int>& node_of);

/// Measures a cell on the ranks of `transport` (its size is the cell's ranks) that this process
/// has. `collective`: the cell's algorithm.
[[nodiscard]] Row measure_cell(Transport& transport, const Collective& collective,
                               const PlannedCell& planned, const TimingOptions& options,
                               const ReportRuns& report = {});

/// The most memory of a rank for a cell: its buffer and the algorithm's scratch; for a training the
/// gradients, the weights if they have buffers of their own, and the scratch for the largest
/// bucket. What arrives from another host is combined from scratch of the backend
/// (ComposedAccumulate): as much again as is all-reduced, at most. `shares_memory`: ranks of a host
/// combine each other's buffers in place.
[[nodiscard]] Bytes memory_of(const PlannedTraining& planned, bool shares_memory);

/// Why the memory `available` in `place`, a host or a GPU, is too small for `ranks` ranks that need
/// `each`; empty: it is not.
[[nodiscard]] std::string memory_shortage(Bytes each, int ranks, const std::string& place,
                                          Bytes available);

}  // namespace ringcast
