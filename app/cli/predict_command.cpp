#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/cli/sweep_options.hpp"
#include "app/common/console.hpp"
#include "app/common/file_output.hpp"
#include "app/config/cluster/degradation.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/predict/bands.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/sensitivity.hpp"
#include "app/predict/trace.hpp"
#include "app/predict/until_efficiency.hpp"
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
  int jobs = 1;
  bool check = false;
  std::string fidelity = "auto";
  bool why = false;
  bool band = false;
  std::string change = "10%";  // of --why
  std::optional<std::string> degrade;
  std::optional<int> timeline;
  std::optional<std::string> until_efficiency;
};

/// The settings that a row depends on besides the input files and its cell.
std::string prediction_settings(const PredictArguments& arguments) {
  return fmt::format(
      "predict, checked {}, fidelity {}, transport {}, variables {}, protocol {}, timeline {}, "
      "traced {}, degraded {}",
      arguments.check, arguments.fidelity, arguments.overrides.transport.value_or("as given"),
      arguments.overrides.nccl_env.value_or("none"), arguments.overrides.protocol.value_or("any"),
      arguments.timeline.value_or(-1), !arguments.trace.empty(),
      arguments.degrade.value_or("nothing"));
}

bool takes_no_time(const Result& result) {
  return !result.rows.empty() &&
         std::ranges::all_of(
             result.rows, [](Seconds time) { return time == Seconds{0}; }, &Row::time);
}

/// The common part of predictions of all-reduces and of training: kept and cached cells, a progress
/// bar, and the answer.
class PredictionRun {
 public:
  /// Throws ScenarioError for an invalid --change.
  PredictionRun(const Scenario& scenario, const PredictArguments& arguments)
      : scenario_{scenario},
        arguments_{arguments},
        change_{arguments.why ? std::optional{read_change(arguments.change)} : std::nullopt},
        output_{arguments.output, prediction_settings(arguments)},
        cache_{cell_cache(arguments.output)} {}

  /// Calls `work` with options that are set from the command line and this run.
  template <typename Work>
  auto predict(PredictOptions options, const Work& work) {
    ProgressBar bar{"predict", arguments_.output.quiet, arguments_.output.yes};
    options.jobs = arguments_.jobs;
    options.check = arguments_.check;
    options.fidelity = arguments_.fidelity == "simulated" ? Fidelity::simgrid : Fidelity::cheapest;
    options.progress = shown_on(bar);
    options.kept = &output_.kept();
    options.cache = &cache_;
    return work(options);
  }

  void say_not_written() { output_.say_incomplete("not written"); }
  /// Writes and prints an answer that has no cells.
  template <typename Answer>
  void print(const Answer& answer) {
    output_.write(answer, true);
    print_answer(answer, arguments_.output);
  }
  /// The same for rows, with sensitivities if requested. Returns the exit code.
  [[nodiscard]] int print_rows(Result result) {
    if (change_) {
      ProgressBar bar{"--why", arguments_.output.quiet, arguments_.output.yes};
      add_sensitivity(result, scenario_, *change_, arguments_.jobs, shown_on(bar), &output_.kept(),
                      &cache_);
    }
    if (change_ && takes_no_time(result)) {
      print_message("ringcast: --why: no row takes any time, whatever the parameters\n");
    }
    for (const FailedCell& failure : result.failures) {
      print_failure(failure);
    }
    output_.write(result, is_complete(result.failures));
    if (!result.rows.empty()) {
      print_answer(result, arguments_.output);
    }
    return exit_code_for(result.failures);
  }

 private:
  const Scenario& scenario_;
  const PredictArguments& arguments_;
  std::optional<double> change_;
  CellOutput output_;
  CellCache cache_;
};

void expect_one_cell(const Scenario& scenario) {
  const std::size_t cells = plan_training(scenario, Topology{machine_of_jobs(scenario)}).size();
  if (cells != 1) {
    throw ScenarioError{
        fmt::format("--trace: the sweep has {} cells (expected one; narrow it with --ranks, "
                    "--algorithm, --ring, --overlap and --bucket-size)",
                    cells)};
  }
}

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

/// Refuses options that have no effect here. `options`: whether each is given, and its message.
void refuse(const std::vector<std::pair<bool, std::string>>& options) {
  for (const auto& [given, message] : options) {
    if (given) throw ScenarioError{message};
  }
}

void expect_training_options(const PredictArguments& arguments) {
  if (arguments.until_efficiency) {
    const std::string one = " (expected one of the two)";
    refuse({{arguments.overrides.ranks.has_value(),
             "--ranks: --until-efficiency looks for the number itself" + one},
            {arguments.band, "--band: --until-efficiency prints no times" + one},
            {arguments.why, "--why: --until-efficiency says what limits it itself" + one},
            {!arguments.trace.empty(),
             "--trace: --until-efficiency tries many numbers of GPUs" + one}});
  }
}

void expect_allreduce_options(const PredictArguments& arguments) {
  const std::string problem =
      ": the scenario trains nothing (expected a scenario with a training part)";
  refuse({{arguments.timeline.has_value(), "--timeline" + problem},
          {arguments.until_efficiency.has_value(), "--until-efficiency" + problem}});
}

int search_until_efficiency(const Scenario& scenario, PredictionRun& run,
                            const PredictOptions& options, const PredictArguments& arguments) {
  const double target =
      InputNode::from_option("--until-efficiency", *arguments.until_efficiency).percentage(1, 100);
  run.print(run.predict(options, [&](const PredictOptions& all) {
    try {
      return until_efficiency(scenario, target, all);
    } catch (const ScenarioError&) {
      all.kept->remove();  // another run ends in the same way
      throw;
    } catch (const Interrupted&) {
      run.say_not_written();
      throw;
    }
  }));
  return 0;
}

int run_training(const Scenario& scenario, const PredictArguments& arguments) {
  expect_training_options(arguments);
  PredictOptions options;
  if (arguments.timeline || !arguments.trace.empty()) {
    options.timeline = timeline_rank(arguments.timeline.value_or(0), scenario);
  }
  PredictionRun run{scenario, arguments};
  if (arguments.until_efficiency) return search_until_efficiency(scenario, run, options, arguments);
  if (!arguments.trace.empty()) expect_one_cell(scenario);
  Result result = run.predict(options, [&](const PredictOptions& all) {
    Result predicted = predict_training(scenario, all);
    if (arguments.band) add_training_bands(predicted, scenario, all);
    return predicted;
  });
  for (Row& row : result.rows) {
    if (!arguments.trace.empty()) {
      write_trace(arguments.trace, *options.timeline, row.iteration->timeline);
    }
    if (!arguments.timeline) row.iteration->timeline.clear();
  }
  return run.print_rows(std::move(result));
}

/// Changes the machine, and appends the changes to its name.
void degrade_machine(Scenario& scenario, const PredictArguments& arguments) {
  if (!arguments.degrade) return;
  refuse({{arguments.why, "--why: does not vary a degraded machine (expected no --degrade)"}});
  Cluster cluster = whole_machine(scenario);
  for (const std::string& change : degrade(cluster, *arguments.degrade, scenario.ranks))
    scenario.name += fmt::format(", {}", change);
  static_cast<void>(degraded_topology(std::move(cluster)));
  scenario.degraded = *arguments.degrade;
}

int run_predict(const PredictArguments& arguments) {
  Scenario scenario = read_scenario(arguments.scenario, arguments.overrides);
  degrade_machine(scenario, arguments);
  if (!scenario.note.empty()) print_message(scenario.note + "\n");
  check_output(arguments.output);
  check_trace(arguments.trace, arguments.output.output);
  if (scenario.training) {
    return run_training(scenario, arguments);
  }
  expect_allreduce_options(arguments);
  PredictOptions options;
  if (!arguments.trace.empty()) {
    options.trace = arguments.trace;
  }
  PredictionRun run{scenario, arguments};
  Result result =
      run.predict(options, [&](const PredictOptions& all) { return predict(scenario, all); });
  if (arguments.band) add_bands(result, Topology{machine_of_jobs(scenario)});
  return run.print_rows(std::move(result));
}

}  // namespace

void add_predict_command(Command& program) {
  const auto arguments = std::make_shared<PredictArguments>();
  Command command = program.command(
      "predict",
      "simulate a scenario and print how long its all-reduces or training iterations take");
  command
      .option("scenario", arguments->scenario,
              "a scenario, or a cluster to predict with NCCL for a series of sizes")
      .required();
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
              "auto: the fastest method, whose errors are printed if it is not exact; simulated: "
              "SimGrid on all ranks, to compare")
      .one_of({"auto", "simulated"})
      .shows_default();
  add_transport_options(command, arguments->overrides);
  add_job_options(command, arguments->overrides);
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
  command.option(
      "--degrade", arguments->degrade,
      "slower or missing cables, without --why: node4.nic0=3GB/s,leaf0 - spine0=missing");
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, and no table where --output is given");
  std::vector<std::string> algorithms = allreduce_names();
  algorithms.emplace_back(auto_algorithm);
  add_sweep_options(command, arguments->overrides, algorithms, ring_rules());
  command.runs([arguments] { return run_predict(*arguments); });
}

}  // namespace ringcast
