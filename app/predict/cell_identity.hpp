#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/config/scenario/training_plan.hpp"
#include "sim/job/simulated_job.hpp"

namespace ringcast {

/// Digests of all that the outcomes of a scenario's simulations follow from, resolved: the cluster,
/// the transport as a tuner has set it, the rings, the algorithm, ... Simulations of one digest
/// have the same outcome, to the byte, whatever files, names and sweeps they come from. What only
/// labels a row is left out.
///
/// A digest takes a few microseconds and 2 ns for each rank and channel, less than any simulation.
class CellIdentities {
 public:
  CellIdentities(const Scenario& scenario, Fidelity fidelity);

  /// The digest of a simulate() without data, trace or timeline.
  [[nodiscard]] std::string of(const PlannedCell& planned,
                               std::optional<std::uint64_t> delay_seed = {}) const;
  /// The digest of a simulate_iteration(), likewise.
  [[nodiscard]] std::string of(const PlannedTraining& planned, int repetition) const;
  [[nodiscard]] std::string of_broadcast(const PlannedTraining& planned) const;

 private:
  const Scenario* scenario_;
  std::string common_;  // to all cells
};

}  // namespace ringcast
