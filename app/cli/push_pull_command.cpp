#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/predict/push_pull.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

struct PushPullArguments {
  std::string scenario;
  ScenarioOverrides overrides;
  OutputOptions output;
  int rounds = 20;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

PushPullResult predicted(const Scenario& scenario, const PushPullArguments& arguments) {
  ProgressBar bar{"push-pull", arguments.output.quiet};
  PredictOptions options;
  options.jobs = arguments.jobs;
  options.progress = shown_on(bar);
  return predict_push_pull(scenario, arguments.rounds, options);
}

int run_push_pull(const PushPullArguments& arguments) {
  const Scenario scenario = read_scenario(arguments.scenario, arguments.overrides);
  if (scenario.training) {
    throw ScenarioError{
        fmt::format("{}: has training (expected sizes; ringcast predict has the same servers as "
                    "algorithm parameter-server-async)",
                    arguments.scenario)};
  }
  check_output(arguments.output);
  const PushPullResult result = predicted(scenario, arguments);
  for (const FailedPushPull& failure : result.failures) {
    print_message(fmt::format("ringcast: {}, {}: {}\n", counted(failure.ranks, "rank"),
                              to_text(failure.size), failure.error));
  }
  if (result.rows.empty()) {
    return result.failures.front().exit_code;
  }
  write_answer(result, arguments.output);
  print_answer(result, arguments.output);
  return result.failures.empty() ? 0 : result.failures.front().exit_code;
}

}  // namespace

void add_push_pull_command(Command& program) {
  const auto arguments = std::make_shared<PushPullArguments>();
  Command command = program.command("push-pull",
                                    "simulate training through asynchronous parameter servers:\n"
                                    "how often its workers push gradients and pull parameters");
  command.option("scenario", arguments->scenario, "a scenario file").required();
  add_output_options(command, arguments->output);
  command.option("--ranks", arguments->overrides.ranks, "as in the scenario: 8,16,40");
  command.option("--sizes", arguments->overrides.sizes, "as in the scenario: 1MiB,64MiB");
  command.option("--rounds", arguments->rounds, "so many pushes of each worker")
      .range(1, 1'000'000)
      .shows_default();
  command.option("--jobs", arguments->jobs, "simulations that run at once")
      .range(1, 4096)
      .shows_default();
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, and no table where --output is given");
  command.runs([arguments] { return run_push_pull(*arguments); });
}

}  // namespace ringcast
