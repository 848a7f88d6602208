#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/console.hpp"
#include "scenarios/file_output.hpp"
#include "scenarios/output_format.hpp"
#include "scenarios/progress_bar.hpp"
#include "scenarios/reader/input_node.hpp"
#include "scenarios/validate.hpp"

namespace ringcast {
namespace {

/// Everything the command line can say to `ringcast validate`.
struct ValidateArguments {
  std::vector<std::string> files;
  std::string format = "table";
  std::string output;
  std::optional<std::string> tolerance;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool summary = false;
  bool quiet = false;
};

/// Nothing where no tolerance is asked for.
std::optional<double> read_tolerance(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return InputNode::from_option("--tolerance", *text).percentage(0, 1000);
}

void expect_table_for_summary(const ValidateArguments& arguments) {
  if (arguments.summary && arguments.format != "table") {
    throw ScenarioError{
        fmt::format("--summary: of {}, which has all rows (expected it with "
                    "--format table only)",
                    arguments.format)};
  }
}

Validation validate_with_progress(const std::vector<PublishedSet>& sets,
                                  const ValidateArguments& arguments) {
  ProgressBar bar{"validate", arguments.quiet};
  PredictOptions options;
  options.jobs = arguments.jobs;
  options.progress = [&bar](double fraction, std::size_t ended, std::size_t cells) {
    bar.show(fraction, ended, cells);
  };
  return validate(sets, options);
}

void print(const Validation& validation, const ValidateArguments& arguments) {
  for (const FailedRow& failure : validation.failures) {
    print_message(fmt::format("ringcast: {}: {}: {}\n", failure.set, to_text(failure.cell.cell),
                              failure.cell.error));
  }
  if (!arguments.output.empty()) {
    write_file(arguments.output, in_format(validation, output_format_of(arguments.output)));
  }
  if (!(arguments.quiet && !arguments.output.empty())) {
    print_output(arguments.summary ? summary_table(validation)
                                   : in_format(validation, output_format_named(arguments.format)));
  }
}

int run_validate(const ValidateArguments& arguments) {
  const std::optional<double> tolerance = read_tolerance(arguments.tolerance);
  expect_table_for_summary(arguments);
  const std::vector<PublishedSet> sets =
      read_published_sets({arguments.files.begin(), arguments.files.end()});
  if (!arguments.output.empty()) {
    static_cast<void>(output_format_of(arguments.output));
    check_writable(arguments.output);
  }
  const Validation validation = validate_with_progress(sets, arguments);
  print(validation, arguments);
  if (!validation.failures.empty()) return validation.failures.front().cell.exit_code;
  if (tolerance) expect_within(*tolerance, validation);
  return 0;
}

}  // namespace

void add_validate_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* const command =
      app.add_subcommand("validate", "predict published measurements and print the errors");
  command->add_option("files", arguments->files,
                      "published sets; without any, all of scenarios/published");
  command->add_option("--format", arguments->format, "what goes to standard output")
      ->check(CLI::IsMember(output_format_names()))
      ->capture_default_str();
  command->add_option("--output", arguments->output, "also write a file: .json, .csv or .txt")
      ->check(problem_with_file_name);
  command->add_option("--tolerance", arguments->tolerance,
                      "fail if a judged row is off by more: 15%");
  command->add_flag("--summary", arguments->summary, "no rows, one line for each set");
  command->add_option("--jobs", arguments->jobs, "simulations that run at once")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_flag("--quiet", arguments->quiet,
                    "no progress bar, and no table where --output is given");
  command->callback([arguments, &exit_code] { exit_code = run_validate(*arguments); });
}

}  // namespace ringcast
