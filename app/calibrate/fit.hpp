#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A number that measured times are to tell, from its start and within its bounds: 0 < least <=
/// start <= most, and least < most.
struct FitNumber {
  std::string name;
  double start = 1;
  double least = 0;
  double most = 0;
};

struct FittedNumber {
  std::string name;
  double value = 0;
  /// False: the rows do not tell it. Either it hardly changes any time, or others could take its
  /// place. The value then means nothing.
  bool determined = false;
  /// The value is one of the bounds; the rows would rather have it beyond.
  bool at_bound = false;
  /// Standard error as a part of the value, if the rows' errors are independent and alike. None for
  /// what is not determined, and where no more rows than numbers are left to judge by.
  std::optional<double> uncertainty;
};

struct Fit {
  std::vector<FittedNumber> numbers;  // in the order asked for
  std::vector<double> residuals;      // (predicted - measured) / measured, for each row
  /// False: the search took too long, or ended where the derivatives promise a better fit that no
  /// step finds, as where the times have a kink. The residuals tell how good it is all the same.
  bool converged = false;
  std::size_t evaluations = 0;  // calls of the prediction
};

/// The times that a model gives for values of the numbers, one for each measured row.
using PredictTimes = std::function<std::vector<Seconds>(const std::vector<double>& values)>;

/// The values with the least sum of squared residuals, by damped Gauss-Newton steps in the values'
/// logarithms (Levenberg, Quarterly of Applied Mathematics 2, 1944) with numeric derivatives. The
/// same input gives the same fit. It is a local search: where the model has several good fits, the
/// start decides.
/// Throws ScenarioError for no measured time, or one that is not above zero.
[[nodiscard]] Fit fit(const std::vector<FitNumber>& numbers, const PredictTimes& predict,
                      const std::vector<Seconds>& measured);

}  // namespace ringcast
