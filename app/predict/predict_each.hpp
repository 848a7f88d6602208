#pragma once

#include <variant>
#include <vector>

#include "app/config/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The outcome of one cell's simulation.
using Prediction = std::variant<AllreduceRow, FailedCell>;

/// Simulates scenarios of one cell each, which need have nothing in common, as predict() does the
/// cells of one. Of the options it takes jobs and progress. Throws what predict() throws.
[[nodiscard]] std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                                   const PredictOptions& options);

}  // namespace ringcast
