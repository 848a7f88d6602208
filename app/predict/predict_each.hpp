#pragma once

#include <vector>

#include "app/config/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Simulates scenarios of one cell each, which need have nothing in common, as predict() does the
/// cells of one. Of the options it takes all but check and trace. Throws what predict() throws.
[[nodiscard]] std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                                   const PredictOptions& options);

}  // namespace ringcast
