#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/config/scenario/training_plan.hpp"
#include "sim/job/simulated_job.hpp"

namespace ringcast {

/// Digests of all inputs of a scenario's simulations, after resolution of defaults: the cluster,
/// the transport with a tuner's choice, the rings, the algorithm, ... Simulations with the same
/// digest have the same outcome, to the byte, whatever files, names and sweeps they come from.
/// Labels of rows are not included.
///
/// Computing a digest takes a few microseconds and 2 ns for each rank and channel, less than any
/// simulation.
class CellIdentities {
 public:
  /// `with_bounds`: PredictOptions::with_bounds.
  CellIdentities(const Scenario& scenario, Fidelity fidelity, bool with_bounds = true);

  /// The digest of a simulate() without data, trace or timeline.
  [[nodiscard]] std::string of(const PlannedCell& planned,
                               std::optional<std::uint64_t> delay_seed = {}) const;
  /// The digest of a simulate_iteration() without data or timeline.
  [[nodiscard]] std::string of(const PlannedTraining& planned, int repetition) const;
  [[nodiscard]] std::string of_broadcast(const PlannedTraining& planned) const;

 private:
  const Scenario* scenario_;
  std::string common_;  // the inputs of all cells
  /// The same of cells whose transport is a tuner's choice: they do not depend on the protocols
  /// that it did not choose.
  std::string common_of_tuned_;
};

}  // namespace ringcast
