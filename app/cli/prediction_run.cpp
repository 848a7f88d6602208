#include "app/cli/prediction_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/console.hpp"
#include "app/predict/sensitivity.hpp"

namespace ringcast {
namespace {

/// The settings that a row depends on besides the input files and its cell.
std::string prediction_settings(const PredictArguments& arguments) {
  return fmt::format("predict, checked {}, fidelity {}, timeline {}, traced {}", arguments.check,
                     arguments.fidelity, arguments.timeline.value_or(-1), !arguments.trace.empty());
}

bool takes_no_time(const Result& result) {
  return !result.rows.empty() &&
         std::ranges::all_of(
             result.rows, [](Seconds time) { return time == Seconds{0}; }, &Row::time);
}

}  // namespace

PredictionRun::PredictionRun(const Scenario& scenario, const PredictArguments& arguments)
    : scenario_{scenario},
      arguments_{arguments},
      change_{arguments.why ? std::optional{read_change(arguments.change)} : std::nullopt},
      output_{arguments.output, prediction_settings(arguments)},
      cache_{cell_cache(arguments.output)} {}

int PredictionRun::print_rows(Result result) {
  if (change_) {
    ProgressBar bar{"why", arguments_.output.quiet, arguments_.output.yes};
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

}  // namespace ringcast
