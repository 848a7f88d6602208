#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/predict/cell_identity.hpp"
#include "app/predict/predict_training.hpp"

namespace ringcast {

class TunedJobs;

// NCCL chooses algorithm and protocol for each call by its size. So if a transport has a tuner,
// each bucket size of a training is a separate all-reduce (PlannedTraining::calls), predicted on
// its own, and an iteration consists of computations between calls of known times.

/// Plans the calls. The training's algorithm, protocol and channels are those that send the most
/// bytes. There are no calls if a transport's reductions compete with computations, or the tuner
/// has no choice for the algorithm: such an iteration is simulated as a whole.
void plan_calls(PlannedTraining& planned, const Scenario& scenario, const Topology& topology,
                TunedJobs& jobs);

/// The row of a call.
using FindCall = std::function<Row(const PlannedCell& call)>;

/// One iteration. With calls, an all-reduce begins when the last rank calls it, takes the call's
/// time, and ends on all ranks at once; a half of it takes half of the time. Without calls:
/// simulate_iteration().
[[nodiscard]] Row find_iteration(const PlannedTraining& planned, const Scenario& scenario,
                                 const Topology& topology, const PredictOptions& options,
                                 int repetition, const ReportProgress& report,
                                 const FindCall& find);

/// The calls of all cells of a training, each simulated once, in child processes.
class SimulatedCalls {
 public:
  /// All must outlive this.
  SimulatedCalls(const std::vector<PlannedTraining>& cells, const Scenario& scenario,
                 const Topology& topology, const PredictOptions& options,
                 const CellIdentities& identities);

  [[nodiscard]] Row operator()(const PlannedCell& call) const;
  /// The outcome of the first call that failed.
  [[nodiscard]] std::optional<CellOutcome> failure_of(const PlannedTraining& planned) const;

 private:
  const CellIdentities* identities_;
  std::map<std::string, CellOutcome> outcomes_;  // by identity
};

}  // namespace ringcast
