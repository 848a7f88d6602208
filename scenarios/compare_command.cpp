#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/comparison.hpp"
#include "scenarios/import/import_file.hpp"
#include "scenarios/import/import_options.hpp"
#include "scenarios/output_options.hpp"
#include "scenarios/reader/input_node.hpp"

namespace ringcast {
namespace {

struct CompareCommand {
  std::string predicted;
  std::string measured;
  std::optional<std::string> tolerance;
  ImportArguments arguments;
  OutputOptions output;
};

double read_tolerance(const std::string& text) {
  return InputNode::from_option("--tolerance", text).percentage(0, 1000);
}

NamedResult read_side(const std::string& file, const ImportOptions& options) {
  ImportedFile read = read_result(file, options);
  for (const std::string& remark : read.remarks) {
    print_message(fmt::format("{}\n", remark));
  }
  return {file, std::move(read.result)};
}

/// "a.json: 5 cells are not in b.log: 2 ranks, 1 MiB; ..."
void report_lonely(const std::string& file, const std::string& other,
                   const std::vector<std::string>& cells) {
  constexpr std::size_t shown = 3;
  if (cells.empty()) {
    return;
  }
  std::string text = fmt::format("{}: {} cell{} not in {}: ", file, cells.size(),
                                 cells.size() == 1 ? " is" : "s are", other);
  for (std::size_t i = 0; i < std::min(shown, cells.size()); ++i) {
    text += (i == 0 ? "" : "; ") + cells[i];
  }
  print_message(text + (cells.size() > shown ? "; ...\n" : "\n"));
}

void expect_within(const Comparison& comparison, const std::string& tolerance) {
  const ComparedCell& worst = comparison.worst();
  if (std::abs(worst.error()) > read_tolerance(tolerance)) {
    throw OutsideTolerance{fmt::format("{}: the prediction is {:.1f} % {} (expected within {})",
                                       to_text(worst.cell), 100 * std::abs(worst.error()),
                                       worst.error() > 0 ? "too slow" : "too fast", tolerance)};
  }
}

void run_compare(const CompareCommand& command) {
  if (command.tolerance) {
    static_cast<void>(read_tolerance(*command.tolerance));
  }
  const ImportOptions options = import_options(command.arguments);
  check_output(command.output);
  const NamedResult predicted = read_side(command.predicted, options);
  const NamedResult measured = read_side(command.measured, options);
  const Comparison comparison = compare(predicted, measured);
  report_lonely(command.predicted, command.measured, comparison.only_predicted);
  report_lonely(command.measured, command.predicted, comparison.only_measured);
  write_answer(comparison, command.output);
  print_answer(comparison, command.output);
  if (command.tolerance) {
    expect_within(comparison, *command.tolerance);
  }
}

}  // namespace

void add_compare_command(CLI::App& app) {
  const auto compare = std::make_shared<CompareCommand>();
  CLI::App* const command =
      app.add_subcommand("compare", "hold a prediction against a measurement, cell by cell");
  command->add_option("predicted", compare->predicted, "a result file or a log")->required();
  command->add_option("measured", compare->measured, "a result file or a log")->required();
  command->add_option("--tolerance", compare->tolerance,
                      "exit code 6 unless every cell's error is within, e.g. 10%");
  add_output_options(*command, compare->output);
  command->add_flag("--quiet", compare->output.quiet, "no table where --output is given");
  add_import_options(*command, compare->arguments);
  command->callback([compare] { run_compare(*compare); });
}

}  // namespace ringcast
