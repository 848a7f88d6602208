#include "scenarios/output_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/commands.hpp"

namespace ringcast {

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_option("--format", options.format, "what goes to standard output")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command.add_option("--output", options.output, "also write a file: .json, .csv or .txt")
      ->check(problem_with_file_name);
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

void check_output(const OutputOptions& options) {
  if (!options.output.empty()) {
    static_cast<void>(format_of_file(options.output));
    check_writable(options.output);
  }
}

}  // namespace ringcast
