#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/predict/predict_training.hpp"

namespace ringcast {

/// With strong scaling, a number of GPUs whose shares of the batch are rounded up.
struct RoundedShares {
  std::int64_t samples = 0;   // of the batch
  std::int64_t computed = 0;  // by all GPUs together
  /// Larger numbers of GPUs that divide the batch, up to the first that misses the target.
  std::vector<Row> dividing = {};
};

/// The number of GPUs up to which one configuration of training keeps an efficiency.
struct EfficiencyLimit {
  Row last;                 // the most GPUs that keep it
  std::optional<Row> next;  // a node more, or a GPU of the first; none where all GPUs keep it
  std::optional<RoundedShares> rounded = {};  // those of `next`
};

struct UntilEfficiency {
  Provenance provenance;
  double target = 0;
  std::vector<EfficiencyLimit> limits;  // one for each scaling, algorithm, ring order, ...
  /// The reasons why the other configurations have no limit.
  std::vector<std::string> not_kept;
};

/// Whether an efficiency is the target or more, but for rounding.
[[nodiscard]] bool keeps_target(double efficiency, double target);
/// `94.97`: a share of one as percent, rounded to as many digits, one at least, as leave it on its
/// side of the target.
[[nodiscard]] std::string percent_beside(double part, double target);
/// `89.5`: the greatest target of one digit behind the point that an efficiency keeps, as percent.
[[nodiscard]] std::string percent_kept(double efficiency);

/// Searches the number of GPUs up to which each configuration of the training keeps `target`, in
/// whole nodes, as jobs have them; only where a node of GPUs misses it, among fewer. With strong
/// scaling, at most as many as have a sample. All such numbers up to 64 GPUs are tried, beyond them
/// twice as many nodes each time, and the interval between the last number that keeps the target
/// and the first that does not is halved; an efficiency that falls and rises again is missed,
/// except where shares of the batch are rounded up. A configuration that misses the target with two
/// GPUs, or is refused, is in `not_kept`. Throws ScenarioError with the first of these where no
/// configuration is left, for explicit ring orders, which are of one number of ranks, and what
/// predict_training() throws.
[[nodiscard]] UntilEfficiency until_efficiency(const Scenario& scenario, double target,
                                               const PredictOptions& options);

/// A sentence for each limit, then the rows that say why.
[[nodiscard]] std::string to_table(const UntilEfficiency& answer);
[[nodiscard]] std::string to_csv(const UntilEfficiency& answer);
[[nodiscard]] std::string to_json(const UntilEfficiency& answer);

}  // namespace ringcast
