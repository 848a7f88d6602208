#include "app/cli/training_command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/config/input_node.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/trace.hpp"
#include "app/predict/until_efficiency.hpp"
#include "engine/numbers/error.hpp"
#include "topology/part_of_cluster.hpp"

namespace ringcast {
namespace {

double read_target(const std::string& text) {
  return InputNode::from_option("--until-efficiency", text).percentage(1, 100);
}

void expect_one_cell(const Scenario& scenario) {
  const std::size_t cells =
      plan_training(scenario,
                    Topology{build_part(scenario.cluster, std::ranges::max(scenario.ranks))})
          .size();
  if (cells != 1) {
    throw ScenarioError{
        fmt::format("--trace: the sweep has {} cells (expected one; narrow it with --ranks, "
                    "--algorithm, --ring, --overlap and --bucket-size)",
                    cells)};
  }
}

}  // namespace

void expect_no_training_options(const PredictArguments& arguments) {
  for (const auto& [given, name] :
       {std::pair{arguments.timeline.has_value(), "--timeline"},
        std::pair{arguments.until_efficiency.has_value(), "--until-efficiency"}}) {
    if (given) {
      throw ScenarioError{fmt::format(
          "{}: the scenario trains nothing (expected a scenario with a training part)", name)};
    }
  }
}

int predict_training_command(const Scenario& scenario, const PredictArguments& arguments) {
  TrainingOptions options;
  if (arguments.timeline || !arguments.trace.empty()) {
    options.timeline = timeline_rank(arguments.timeline.value_or(0), scenario);
  }
  PredictionRun run{scenario, arguments};
  if (arguments.until_efficiency) {
    const double target = read_target(*arguments.until_efficiency);
    run.print(run.predict(options, [&](const TrainingOptions& all) {
      return until_efficiency(scenario, target, all);
    }));
    return 0;
  }
  if (!arguments.trace.empty()) {
    expect_one_cell(scenario);
  }
  Result result = run.predict(
      options, [&](const TrainingOptions& all) { return predict_training(scenario, all); });
  for (Row& row : result.rows) {
    if (!arguments.trace.empty()) {
      write_trace(arguments.trace, *options.timeline, row.iteration->timeline);
    }
    if (!arguments.timeline) {
      row.iteration->timeline.clear();
    }
  }
  return run.print_rows(std::move(result));
}

}  // namespace ringcast
