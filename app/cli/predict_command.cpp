#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/cli/sweep_options.hpp"
#include "app/cli/training_command.hpp"
#include "app/common/console.hpp"
#include "app/common/file_output.hpp"
#include "app/predict/bands.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/sensitivity.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The options of `ringcast predict`.
struct PredictArguments {
  std::string scenario;
  ScenarioOverrides overrides;
  OutputOptions output;
  std::string trace;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool check = false;
  std::string fidelity = "auto";
  bool why = false;
  bool band = false;
  std::string change = "10%";  // of --why
  std::optional<int> timeline;
  std::optional<std::string> until_efficiency;
};

void check_trace(const std::string& trace, const std::string& output) {
  if (trace.empty()) {
    return;
  }
  check_writable(trace);
  if (!output.empty() && is_same_file(trace, output)) {
    throw ScenarioError{
        fmt::format("--trace: {} is also the --output (expected two different files)", trace)};
  }
}

Result predicted(const Scenario& scenario, const PredictArguments& arguments,
                 PredictOptions options) {
  ProgressBar bar{"predict", arguments.output.quiet, arguments.output.yes};
  options.progress = shown_on(bar);
  return predict(scenario, options);
}

std::optional<double> change_asked_for(const PredictArguments& arguments) {
  return arguments.why ? std::optional{read_change(arguments.change)} : std::nullopt;
}

bool takes_no_time(const Result& result) {
  return !result.rows.empty() &&
         std::ranges::all_of(
             result.rows, [](Seconds time) { return time == Seconds{0}; }, &Row::time);
}

Fidelity fidelity_of(const PredictArguments& arguments) {
  return arguments.fidelity == "simulated" ? Fidelity::simgrid : Fidelity::cheapest;
}

TrainingArguments training_arguments(const PredictArguments& arguments) {
  return {arguments.output,
          arguments.trace,
          arguments.jobs,
          arguments.check,
          fidelity_of(arguments),
          arguments.timeline,
          arguments.until_efficiency,
          change_asked_for(arguments)};
}

/// Refuses what means nothing beside --until-efficiency.
void expect_alone(const PredictArguments& arguments) {
  for (const auto& [given, refusal] :
       {std::pair{arguments.overrides.ranks.has_value(),
                  "--ranks: --until-efficiency looks for the number itself"},
        std::pair{change_asked_for(arguments).has_value(),
                  "--why: --until-efficiency says what limits it itself"},
        std::pair{!arguments.trace.empty(),
                  "--trace: --until-efficiency tries many numbers of GPUs"}}) {
    if (given) {
      throw ScenarioError{fmt::format("{} (expected one of the two)", refusal)};
    }
  }
}

int run_training(const Scenario& scenario, const PredictArguments& arguments) {
  if (arguments.band) {
    throw ScenarioError{"--band: of an all-reduce (expected a scenario without training)"};
  }
  if (arguments.until_efficiency) {
    expect_alone(arguments);
  }
  return predict_training_command(scenario, training_arguments(arguments));
}

int run_predict(const PredictArguments& arguments) {
  const Scenario scenario = read_scenario(arguments.scenario, arguments.overrides);
  check_output(arguments.output);
  check_trace(arguments.trace, arguments.output.output);
  if (scenario.training) {
    return run_training(scenario, arguments);
  }
  expect_no_training_options(training_arguments(arguments));
  PredictOptions options;
  options.jobs = arguments.jobs;
  options.check = arguments.check;
  options.fidelity = fidelity_of(arguments);
  if (!arguments.trace.empty()) {
    options.trace = arguments.trace;
  }
  CellOutput output{arguments.output, fmt::format("predict, checked {}, fidelity {}",
                                                  arguments.check, arguments.fidelity)};
  options.kept = &output.kept();
  CellCache cache = cell_cache(arguments.output);
  options.cache = &cache;

  const std::optional<double> change = change_asked_for(arguments);
  Result result = predicted(scenario, arguments, options);
  if (arguments.band) add_bands(result, Topology{build_cluster(scenario.cluster)});
  if (change) {
    ProgressBar bar{"why", arguments.output.quiet, arguments.output.yes};
    add_sensitivity(result, scenario, *change, arguments.jobs, shown_on(bar), options.kept,
                    options.cache);
  }
  if (change && takes_no_time(result)) {
    print_message("ringcast: --why: no row takes any time, whatever the parameters\n");
  }
  for (const FailedCell& failure : result.failures) {
    print_failure(failure);
  }
  output.write(result, is_complete(result.failures));
  if (!result.rows.empty()) {
    print_answer(result, arguments.output);
  }
  return exit_code_for(result.failures);
}

}  // namespace

void add_predict_command(Command& program) {
  const auto arguments = std::make_shared<PredictArguments>();
  Command command = program.command(
      "predict",
      "simulate a scenario and print how long its all-reduces or training iterations take");
  command.option("scenario", arguments->scenario, "a scenario file").required();
  add_output_options(command, arguments->output);
  add_simulation_options(command, arguments->output);
  command
      .option("--trace", arguments->trace,
              "write a Chrome trace of a single cell (opens in ui.perfetto.dev)")
      .file_name();
  command.option("--jobs", arguments->jobs, "simulations to run in parallel")
      .range(1, 4096)
      .shows_default();
  command.option("--timeline", arguments->timeline,
                 "training: write this rank's iteration, layer by layer, to the JSON and --trace");
  command.option(
      "--until-efficiency", arguments->until_efficiency,
      "training: the number of GPUs up to which efficiency stays at e.g. 80%, and what limits it");
  command
      .option("--fidelity", arguments->fidelity,
              "auto: the cheapest way that is exact; simulated: SimGrid on all ranks, to compare")
      .one_of({"auto", "simulated"})
      .shows_default();
  command.flag("--check", arguments->check, "carry real data and check every sum");
  command.flag(
      "--band", arguments->band,
      "print each time with the band in which published machines lie; --why names what widens it");
  const Option why = command.flag("--why", arguments->why,
                                  "explain each row: how the time depends on each input parameter");
  command
      .option("--change", arguments->change,
              "with --why: the change of each parameter, up and down, 1% to 50%")
      .shows_default()
      .needs(why);
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, and no table where --output is given");
  add_sweep_options(command, arguments->overrides, allreduce_names());
  command.runs([arguments] { return run_predict(*arguments); });
}

}  // namespace ringcast
