#include "app/cli/output_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {

void add_output_options(Command& command, OutputOptions& options) {
  command.option("--format", options.format, "the format on standard output")
      .one_of({"table", "csv", "json"})
      .shows_default();
  command.option("--output", options.output, "also write a file: .json, .csv or .txt").file_name();
}

void add_fresh_option(Command& command, OutputOptions& options) {
  command.flag("--fresh", options.fresh,
               "compute all cells, also those that an interrupted run has left in OUTPUT.partial");
}

std::string format_of_file(const std::filesystem::path& file) {
  const std::string suffix = file.extension();
  if (suffix == ".json" || suffix == ".csv") {
    return suffix.substr(1);
  }
  if (suffix == ".txt") {
    return "table";
  }
  throw ScenarioError{fmt::format("--output: {} ends in \"{}\" (expected .json, .csv or .txt)",
                                  file.string(), suffix)};
}

void check_output(const OutputOptions& options, const std::vector<std::filesystem::path>& inputs) {
  if (options.output.empty()) {
    return;
  }
  static_cast<void>(format_of_file(options.output));
  std::ranges::for_each(inputs, note_input);
  check_writable(options.output);
}

}  // namespace ringcast
