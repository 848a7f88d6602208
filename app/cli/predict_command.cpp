#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/sweep_options.hpp"
#include "app/cli/training_command.hpp"
#include "app/common/file_output.hpp"
#include "app/predict/bands.hpp"
#include "app/predict/predict.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

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

/// Refuses what means nothing beside --until-efficiency.
void expect_alone(const PredictArguments& arguments) {
  for (const auto& [given, refusal] :
       {std::pair{arguments.overrides.ranks.has_value(),
                  "--ranks: --until-efficiency looks for the number itself"},
        std::pair{arguments.why, "--why: --until-efficiency says what limits it itself"},
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
  return predict_training_command(scenario, arguments);
}

int run_predict(const PredictArguments& arguments) {
  const Scenario scenario = read_scenario(arguments.scenario, arguments.overrides);
  check_output(arguments.output);
  check_trace(arguments.trace, arguments.output.output);
  if (scenario.training) {
    return run_training(scenario, arguments);
  }
  expect_no_training_options(arguments);
  PredictOptions options;
  if (!arguments.trace.empty()) {
    options.trace = arguments.trace;
  }
  PredictionRun run{scenario, arguments};
  Result result =
      run.predict(options, [&](const PredictOptions& all) { return predict(scenario, all); });
  if (arguments.band) add_bands(result, Topology{build_cluster(scenario.cluster)});
  return run.print_rows(std::move(result));
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
  add_jobs_option(command, arguments->jobs);
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
