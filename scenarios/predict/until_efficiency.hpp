#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/predict/predict_training.hpp"

namespace ringcast {

/// How far one way to train keeps an efficiency.
struct EfficiencyLimit {
  TrainingRow last;                 // the most GPUs that keep it
  std::optional<TrainingRow> next;  // one GPU more; none where all GPUs keep it
};

struct UntilEfficiency {
  Provenance provenance;
  double target = 0;
  std::vector<EfficiencyLimit> limits;  // one for each scaling, algorithm, ring order, ...
};

/// Searches the number of GPUs up to which each of the scenario's ways to train keeps `target`:
/// each number up to 64, and beyond them 128, 256, ... and all (with strong scaling, as many as
/// have a sample), where the interval between the last that keeps it and the first that does not is
/// halved; should the efficiency fall and rise again in between, that is not seen. Throws
/// ScenarioError where no two GPUs keep it, naming the best, for explicit ring orders, which are of
/// one number of ranks, and what predict_training() throws; the first failure of a cell, too.
[[nodiscard]] UntilEfficiency until_efficiency(const Scenario& scenario, double target,
                                               const TrainingOptions& options);

/// A sentence for each limit, then the rows that say why.
[[nodiscard]] std::string to_table(const UntilEfficiency& answer);
[[nodiscard]] std::string to_csv(const UntilEfficiency& answer);
[[nodiscard]] std::string to_json(const UntilEfficiency& answer);

}  // namespace ringcast
