#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/predict/predict.hpp"

namespace ringcast {

/// plan_training() for the topology's ranks, with servers placed on hosts.
[[nodiscard]] std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                                         const Topology& topology);
[[nodiscard]] std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                                         const Topology& topology, TunedJobs& jobs);

/// Simulates every cell of the scenario's training: each repetition, and the broadcast of the
/// weights, in a child process. Errors as of predict().
[[nodiscard]] Result predict_training(const Scenario& scenario, const PredictOptions& options);

/// Simulates one iteration in this process, with SimGrid once per process; `repetition` chooses its
/// noise.
/// Throws ContractViolation for an iteration shorter than its computation or its communication,
/// longer than the sum of both, or below the physical bound.
[[nodiscard]] Row simulate_iteration(const PlannedTraining& planned, const Scenario& scenario,
                                     const Topology& topology, const PredictOptions& options,
                                     int repetition, const ReportProgress& report);
/// The broadcast of the initial weights; with SimGrid once per process.
[[nodiscard]] Seconds simulate_broadcast(const PlannedTraining& planned, const Scenario& scenario,
                                         const Topology& any_size, Fidelity fidelity);

}  // namespace ringcast
