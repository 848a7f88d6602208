#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/scenario/input_numbers.hpp"
#include "app/config/scenario/published_set.hpp"
#include "app/predict/predict.hpp"

namespace ringcast {

/// A fitted parameter of published rows: its value in the file and in a new fit.
struct RefittedNumber {
  InputNumber stored;
  std::filesystem::path file;  // the cluster's or transport's
  double value = 0;
  bool determined = false;  // see FittedNumber
  bool at_bound = false;
  std::optional<double> uncertainty;
};

struct Refit {
  std::vector<RefittedNumber> numbers;
  std::size_t rows = 0;
  double error_stored = 0;    // mean of the rows' absolute relative errors
  double error_refitted = 0;  // the same
  bool converged = false;
};

/// Fits the numbers of all sets' fit_on together to the rows named there. The search begins at the
/// stored values and stays within a hundredth and a hundred times of them. Numbers of one name and
/// file are one number, even if only some of the sets name it. A number of the transport does not
/// affect rows of other software. Throws ScenarioError if no set has a fit_on, TransportError if a
/// simulation failed, and what predict() throws.
[[nodiscard]] Refit refit(const std::vector<PublishedSet>& sets, const PredictOptions& options);

/// For people: stored and refitted values side by side.
[[nodiscard]] std::string to_table(const Refit& refit);

}  // namespace ringcast
