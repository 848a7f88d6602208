#pragma once

#include "app/cli/prediction_run.hpp"

namespace ringcast {

/// Throws ScenarioError for options that need a training part.
void expect_no_training_options(const PredictArguments& arguments);
/// Predicts the training of a scenario and prints. Returns the exit code.
[[nodiscard]] int predict_training_command(const Scenario& scenario,
                                           const PredictArguments& arguments);

}  // namespace ringcast
