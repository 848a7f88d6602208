#include <memory>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "engine/allreduce_algorithms.hpp"
#include "engine/error.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/console.hpp"
#include "scenarios/file_output.hpp"
#include "scenarios/output_options.hpp"
#include "scenarios/predict/predict.hpp"
#include "scenarios/predict/sensitivity.hpp"
#include "scenarios/predict/training_command.hpp"
#include "scenarios/progress_bar.hpp"

namespace ringcast {
namespace {

/// Everything the command line can say to `ringcast predict`.
struct PredictArguments {
  std::string scenario;
  ScenarioOverrides overrides;
  OutputOptions output;
  std::string trace;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool check = false;
  bool why = false;
  std::string change = "10%";
  std::optional<int> timeline;
  std::optional<std::string> until_efficiency;
};

void expect_other_file(const std::filesystem::path& trace, const std::filesystem::path& output) {
  const auto place = [](const std::filesystem::path& file) {
    return std::filesystem::weakly_canonical(file);
  };
  if (!output.empty() && place(trace) == place(output)) {
    throw ScenarioError{fmt::format(
        "--trace: {} is also the --output (expected two different files)", trace.string())};
  }
}

/// Predicts, and where that is asked for explains; with a progress bar for each.
Result predicted(const Scenario& scenario, const PredictArguments& arguments,
                 PredictOptions options) {
  const double change = read_change(arguments.change);
  const auto show_on = [&options](ProgressBar& bar) {
    options.progress = [&bar](double fraction, std::size_t ended, std::size_t cells) {
      bar.show(fraction, ended, cells);
    };
  };
  Result result;
  {
    ProgressBar bar{"predict", arguments.output.quiet};
    show_on(bar);
    result = predict(scenario, options);
  }
  if (arguments.why) {
    ProgressBar bar{"why", arguments.output.quiet};
    show_on(bar);
    add_sensitivity(result, scenario, change, options);
  }
  return result;
}

TrainingArguments training_arguments(const PredictArguments& arguments) {
  return {arguments.output, arguments.trace,    arguments.jobs,
          arguments.check,  arguments.timeline, arguments.until_efficiency};
}

int run_training(const Scenario& scenario, const PredictArguments& arguments) {
  if (arguments.why) {
    throw ScenarioError{"--why: not for training (expected a scenario of all-reduces)"};
  }
  if (!arguments.trace.empty()) {
    check_writable(arguments.trace);
    expect_other_file(arguments.trace, arguments.output.output);
  }
  return predict_training_command(scenario, training_arguments(arguments));
}

int run_predict(const PredictArguments& arguments) {
  const Scenario scenario = read_scenario(arguments.scenario, arguments.overrides);
  check_output(arguments.output);
  if (scenario.training) {
    return run_training(scenario, arguments);
  }
  expect_no_training_options(training_arguments(arguments));
  PredictOptions options;
  options.jobs = arguments.jobs;
  options.check = arguments.check;
  if (!arguments.trace.empty()) {
    check_writable(arguments.trace);
    expect_other_file(arguments.trace, arguments.output.output);
    options.trace = arguments.trace;
  }

  const Result result = predicted(scenario, arguments, options);
  for (const FailedCell& failure : result.failures) {
    print_message(fmt::format("ringcast: {}: {}\n", to_text(failure.cell), failure.error));
  }
  write_answer(result, arguments.output);
  if (!result.rows.empty()) {
    print_answer(result, arguments.output);
  }
  return result.failures.empty() ? 0 : result.failures.front().exit_code;
}

void add_sweep_options(CLI::App& command, ScenarioOverrides& overrides) {
  const std::string group = "Instead of what the scenario says";
  command.add_option("--ranks", overrides.ranks, "numbers of ranks: 8,16,40")->group(group);
  command.add_option("--sizes", overrides.sizes, "buffer sizes: 1MiB,64MiB")->group(group);
  command.add_option("--min,-b", overrides.min, "smallest size of a series")->group(group);
  command.add_option("--max,-e", overrides.max, "largest size of a series")->group(group);
  command.add_option("--factor,-f", overrides.factor, "from one size to the next")->group(group);
  command
      .add_option("--algorithm", overrides.algorithm,
                  fmt::format("algorithms: {}", fmt::join(allreduce_names(), ",")))
      ->group(group);
  command
      .add_option("--ring", overrides.ring,
                  fmt::format("ring orders: {}", fmt::join(ring_rules(), ",")))
      ->group(group);
  command.add_option("--channels", overrides.channels, "rings that run at once")->group(group);
  command
      .add_option("--segment-size", overrides.segment_size,
                  "pieces that a chunk travels in: 512KiB, or whole")
      ->group(group);
  command.add_option("--data-type", overrides.data_type, "float32, bfloat16, ...")->group(group);
  command.add_option("--bucket-size", overrides.bucket_size, "of training: 4MiB,64MiB")
      ->group(group);
  command.add_option("--overlap", overrides.overlap, "of training: on, off or both")->group(group);
}

}  // namespace

void add_predict_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App* const command = app.add_subcommand(
      "predict",
      "simulate a scenario and print how long its all-reduces or training iterations take");
  command->add_option("scenario", arguments->scenario, "a scenario file")->required();
  add_output_options(*command, arguments->output);
  command
      ->add_option("--trace", arguments->trace,
                   "write a Chrome trace of a single cell (opens in ui.perfetto.dev)")
      ->check(problem_with_file_name);
  command->add_option("--jobs", arguments->jobs, "simulations that run at once")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--timeline", arguments->timeline,
                      "of training: this rank's iteration, layer by layer, in JSON and in --trace");
  command->add_option("--until-efficiency", arguments->until_efficiency,
                      "of training: up to how many GPUs it stays as high as 80%, say, and why");
  command->add_flag("--check", arguments->check, "carry real data and check every sum");
  CLI::Option* const why = command->add_flag(
      "--why", arguments->why, "explain the rows: what other input numbers do to the time");
  command
      ->add_option("--change", arguments->change, "with --why: up and down by so much, 1% to 50%")
      ->capture_default_str()
      ->needs(why);
  command->add_flag("--quiet", arguments->output.quiet,
                    "no progress bar, and no table where --output is given");
  add_sweep_options(*command, arguments->overrides);
  command->callback([arguments, &exit_code] { exit_code = run_predict(*arguments); });
}

}  // namespace ringcast
