#include "app/cli/training_command.hpp"

#include <fmt/format.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/config/input_node.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/sensitivity.hpp"
#include "app/predict/trace.hpp"
#include "app/predict/until_efficiency.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

double read_target(const std::string& text) {
  return InputNode::from_option("--until-efficiency", text).percentage(1, 100);
}

void expect_one_cell(const Scenario& scenario) {
  const std::size_t cells =
      plan_training(scenario, Topology{build_cluster(scenario.cluster)}).size();
  if (cells != 1) {
    throw ScenarioError{
        fmt::format("--trace: the sweep has {} cells (expected one; narrow it with --ranks, "
                    "--algorithm, --ring, --overlap and --bucket-size)",
                    cells)};
  }
}

TrainingOptions options_of(const Scenario& scenario, const TrainingArguments& arguments) {
  TrainingOptions options;
  options.jobs = arguments.jobs;
  options.check = arguments.check;
  options.fidelity = arguments.fidelity;
  if (arguments.timeline || !arguments.trace.empty()) {
    options.timeline = timeline_rank(arguments.timeline.value_or(0), scenario);
  }
  return options;
}

std::string settings_of(const TrainingArguments& arguments) {
  return fmt::format("predict, checked {}, timeline {}, traced {}, simgrid {}", arguments.check,
                     arguments.timeline.value_or(-1), !arguments.trace.empty(),
                     arguments.fidelity == Fidelity::simgrid);
}

UntilEfficiency limits(const Scenario& scenario, const TrainingArguments& arguments,
                       TrainingOptions options) {
  ProgressBar bar{"predict", arguments.output.quiet, arguments.output.yes};
  options.progress = shown_on(bar);
  return until_efficiency(scenario, read_target(*arguments.until_efficiency), options);
}

int print_limits(const Scenario& scenario, const TrainingArguments& arguments,
                 TrainingOptions options) {
  CellOutput output{arguments.output, settings_of(arguments)};
  CellCache cache = cell_cache(arguments.output);
  options.kept = &output.kept();
  options.cache = &cache;
  const UntilEfficiency answer = limits(scenario, arguments, options);
  output.write(answer, true);
  print_answer(answer, arguments.output);
  return 0;
}

Result predicted(const Scenario& scenario, const TrainingArguments& arguments,
                 TrainingOptions options) {
  ProgressBar bar{"predict", arguments.output.quiet, arguments.output.yes};
  options.progress = shown_on(bar);
  return predict_training(scenario, options);
}

}  // namespace

void expect_no_training_options(const TrainingArguments& arguments) {
  for (const auto& [given, name] :
       {std::pair{arguments.timeline.has_value(), "--timeline"},
        std::pair{arguments.until_efficiency.has_value(), "--until-efficiency"}}) {
    if (given) {
      throw ScenarioError{fmt::format(
          "{}: the scenario trains nothing (expected a scenario with a training part)", name)};
    }
  }
}

int predict_training_command(const Scenario& scenario, const TrainingArguments& arguments) {
  TrainingOptions options = options_of(scenario, arguments);
  if (arguments.until_efficiency) {
    return print_limits(scenario, arguments, options);
  }
  if (!arguments.trace.empty()) {
    expect_one_cell(scenario);
  }
  CellOutput output{arguments.output, settings_of(arguments)};
  CellCache cache = cell_cache(arguments.output);
  options.kept = &output.kept();
  options.cache = &cache;
  Result result = predicted(scenario, arguments, options);
  if (arguments.why) {
    ProgressBar bar{"why", arguments.output.quiet, arguments.output.yes};
    add_sensitivity(result, scenario, *arguments.why, arguments.jobs, shown_on(bar), options.kept,
                    options.cache);
  }
  for (const FailedCell& failure : result.failures) {
    print_failure(failure);
  }
  for (Row& row : result.rows) {
    if (!arguments.trace.empty()) {
      write_trace(arguments.trace, *options.timeline, row.iteration->timeline);
    }
    if (!arguments.timeline) {
      row.iteration->timeline.clear();
    }
  }
  output.write(result, is_complete(result.failures));
  if (!result.rows.empty()) {
    print_answer(result, arguments.output);
  }
  return exit_code_for(result.failures);
}

}  // namespace ringcast
