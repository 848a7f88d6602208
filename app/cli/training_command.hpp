#pragma once

#include <optional>
#include <string>

#include "app/cli/output_options.hpp"
#include "app/config/scenario.hpp"
#include "sim/simulated_job.hpp"

namespace ringcast {

/// The options of `ringcast predict` for a scenario with training.
struct TrainingArguments {
  OutputOptions output;
  std::string trace;
  int jobs = 1;
  bool check = false;
  Fidelity fidelity = Fidelity::cheapest;
  std::optional<int> timeline;
  std::optional<std::string> until_efficiency;
  std::optional<double> why;  // explain the rows: by how much to change the input numbers
};

/// Throws ScenarioError for options that need a training part.
void expect_no_training_options(const TrainingArguments& arguments);
/// Predicts and prints. Returns the exit code.
[[nodiscard]] int predict_training_command(const Scenario& scenario,
                                           const TrainingArguments& arguments);

}  // namespace ringcast
