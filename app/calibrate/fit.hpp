#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A parameter to be fitted to measured times, with its initial value and bounds:
/// 0 < least <= start <= most, and least < most.
struct FitNumber {
  std::string name;
  double start = 1;
  double least = 0;
  double most = 0;
};

struct FittedNumber {
  std::string name;
  double value = 0;
  /// False: the rows do not determine it, as it hardly changes any time, or its effect is a
  /// combination of those of other numbers. The value is then arbitrary.
  bool determined = false;
  /// The value is one of the bounds; the least error is beyond.
  bool at_bound = false;
  /// Relative standard error, if the rows' errors are independent and identically distributed.
  /// Absent if it is not determined, or if there are no more rows than numbers.
  std::optional<double> uncertainty;
};

struct Fit {
  std::vector<FittedNumber> numbers;  // in the order asked for
  std::vector<double> residuals;      // (predicted - measured) / measured, for each row
  /// False: the limit of steps was reached, or no step reached the better fit that the derivatives
  /// promise, as at a kink of the times. The residuals are valid all the same.
  bool converged = false;
  std::size_t evaluations = 0;  // calls of the prediction
};

/// A model: the time of each measured row for the values of the numbers.
using PredictTimes = std::function<std::vector<Seconds>(const std::vector<double>& values)>;

/// The values with the least sum of squared residuals, by damped Gauss-Newton steps in the values'
/// logarithms (Levenberg, Quarterly of Applied Mathematics 2, 1944) with numeric derivatives. The
/// same input gives the same fit. It is a local search: where the model has several good fits, the
/// start decides.
/// Throws ScenarioError for no measured time, or one that is not above zero.
[[nodiscard]] Fit fit(const std::vector<FitNumber>& numbers, const PredictTimes& predict,
                      const std::vector<Seconds>& measured);

}  // namespace ringcast
