#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/common/console.hpp"
#include "app/common/mapped.hpp"
#include "app/logs/import_file.hpp"
#include "app/predict/best_algorithm.hpp"
#include "app/predict/refit.hpp"
#include "app/predict/set_constants.hpp"
#include "app/predict/validate.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The options of `ringcast validate`.
struct ValidateArguments {
  std::vector<std::string> files;
  OutputOptions output;
  std::optional<std::string> tolerance;
  int jobs = 1;
  bool summary = false;
  bool refit = false;
  bool best = false;
  bool leave_one_out = false;
};

void expect_table_for_summary(const ValidateArguments& arguments) {
  if (arguments.summary && arguments.output.format != "table") {
    throw ScenarioError{
        fmt::format("--summary: of {}, which has all rows (expected it with "
                    "--format table only)",
                    arguments.output.format)};
  }
}

/// Says so of a log, which is no set.
std::vector<PublishedSet> read_sets(const std::vector<std::string>& files) {
  try {
    return read_published_sets({files.begin(), files.end()});
  } catch (const ScenarioError&) {
    for (const std::string& file : files) {
      if (const auto format = log_format_of(file)) {
        throw ScenarioError{
            fmt::format("{}: a log of {} (expected published measurements as scenarios/README.md "
                        "describes them; for a log: ringcast compare PREDICTED {})",
                        file, *format, file)};
      }
    }
    throw;
  }
}

/// Calls `work` with options that show its progress.
template <typename Work>
auto with_progress(const ValidateArguments& arguments, const Work& work) {
  ProgressBar bar{arguments.refit ? "refit" : "validate", arguments.output.quiet,
                  arguments.output.yes};
  PredictOptions options;
  options.jobs = arguments.jobs;
  options.progress = shown_on(bar);
  return work(options);
}

/// Constants that concern one set only are listed for the whole catalogue.
void print(const Validation& validation, const std::vector<PublishedSet>& sets,
           const ValidateArguments& arguments) {
  if (!arguments.summary) {
    print_answer(validation, arguments.output);
  } else if (!arguments.output.only_file()) {
    print_output(summary_table(validation) +
                 (arguments.files.empty() ? "\n" + constants_table(sets) : ""));
  }
}

int run_validate(const ValidateArguments& arguments) {
  std::optional<double> tolerance;
  if (arguments.tolerance) tolerance = read_tolerance(*arguments.tolerance);
  expect_table_for_summary(arguments);
  const std::vector<PublishedSet> sets = read_sets(arguments.files);
  check_output(arguments.output);
  if (arguments.refit) {
    print_output(to_table(with_progress(
        arguments, [&](const PredictOptions& options) { return refit(sets, options); })));
    return 0;
  }
  CellOutput output{arguments.output, arguments.best            ? "validate --best"
                                      : arguments.leave_one_out ? "validate, one left out"
                                                                : "validate"};
  CellCache cache = cell_cache(arguments.output);
  const Validation validation = with_progress(arguments, [&](PredictOptions& options) {
    options.cache = &cache;
    options.kept = &output.kept();
    if (arguments.leave_one_out) return validate_leaving_one_out(sets, options);
    Validation rows = validate(sets, options);
    if (arguments.best) add_best(rows, options);
    return rows;
  });
  const std::vector<FailedCell> failures = mapped(validation.failures, &FailedRow::cell);
  for (const FailedRow& failure : validation.failures) {
    print_failure(failure.cell, failure.set + ": ");
  }
  output.write(validation, is_complete(failures));
  print(validation, sets, arguments);
  if (!failures.empty()) return exit_code_for(failures);
  if (tolerance) expect_within(*tolerance, validation);
  return 0;
}

}  // namespace

void add_validate_command(Command& program) {
  const auto arguments = std::make_shared<ValidateArguments>();
  Command command =
      program.command("validate", "predict published measurements and print the errors");
  command.option("files", arguments->files, "published sets (default: all of scenarios/published)");
  const Option refit = command.flag("--refit", arguments->refit,
                                    "fit the parameters of fit_on again instead, and compare them");
  add_output_options(command, arguments->output);
  command.find("--format").excludes(refit);
  command.find("--output").excludes(refit);
  add_simulation_options(command, arguments->output);
  command
      .option("--tolerance", arguments->tolerance,
              "fail if the worst error is larger, e.g. 15% (of rows from 4 MiB, if there are any)")
      .excludes(refit);
  const Option best =
      command
          .flag("--best", arguments->best,
                "also predict the other algorithms of rows where the transport's tuner chose, and "
                "name the fastest")
          .excludes(refit);
  command.flag("--summary", arguments->summary, "one line per set, no rows").excludes(refit);
  command
      .flag("--leave-one-out", arguments->leave_one_out,
            "also with the link classes' constants that the other sets give")
      .excludes(refit)
      .excludes(best);
  add_jobs_option(command, arguments->jobs);
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, and no table where --output is given");
  command.runs([arguments] { return run_validate(*arguments); });
}

}  // namespace ringcast
