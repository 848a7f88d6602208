#pragma once

#include <optional>
#include <string>

#include "app/cli/cell_output.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/config/scenario.hpp"
#include "sim/simulated_job.hpp"

namespace ringcast {

/// The options of `ringcast predict`.
struct PredictArguments {
  std::string scenario;
  ScenarioOverrides overrides;
  OutputOptions output;
  std::string trace;
  int jobs = 1;
  bool check = false;
  std::string fidelity = "auto";
  bool why = false;
  bool band = false;
  std::string change = "10%";  // of --why
  std::optional<int> timeline;
  std::optional<std::string> until_efficiency;
};

/// The common part of predictions of all-reduces and of training: kept and cached cells, a progress
/// bar, and the answer.
class PredictionRun {
 public:
  /// Throws ScenarioError for a --change that is none.
  PredictionRun(const Scenario& scenario, const PredictArguments& arguments);

  /// `work` of options that have what the command line says and what this run keeps.
  template <typename Options, typename Work>
  auto predict(Options options, const Work& work) {
    ProgressBar bar{"predict", arguments_.output.quiet, arguments_.output.yes};
    options.jobs = arguments_.jobs;
    options.check = arguments_.check;
    options.fidelity = arguments_.fidelity == "simulated" ? Fidelity::simgrid : Fidelity::cheapest;
    options.progress = shown_on(bar);
    options.kept = &output_.kept();
    options.cache = &cache_;
    return work(options);
  }

  /// Writes and prints an answer that is not made of cells.
  template <typename Answer>
  void print(const Answer& answer) {
    output_.write(answer, true);
    print_answer(answer, arguments_.output);
  }
  /// The same of rows, which are explained where that is asked for. Returns the exit code.
  [[nodiscard]] int print_rows(Result result);

 private:
  const Scenario& scenario_;
  const PredictArguments& arguments_;
  std::optional<double> change_;
  CellOutput output_;
  CellCache cache_;
};

}  // namespace ringcast
