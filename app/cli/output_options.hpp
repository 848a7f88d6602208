#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/program.hpp"
#include "app/common/cell_cache.hpp"
#include "app/common/console.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {

/// The command-line options for the output of a command.
struct OutputOptions {
  std::string format = "table";
  std::string output;
  bool quiet = false;
  bool fresh = false;
  bool no_cache = false;
  bool yes = false;

  /// Whether nothing is written to standard output.
  [[nodiscard]] bool only_file() const { return quiet && !output.empty(); }
};

/// Adds --format and --output. `more` ends the description of --output.
void add_output_options(Command& command, OutputOptions& options, const std::string& more = "");
/// Adds --fresh, for commands with a CellOutput.
void add_fresh_option(Command& command, OutputOptions& options);
/// Adds --fresh, --no-cache and --yes, for commands whose simulations may take hours.
void add_simulation_options(Command& command, OutputOptions& options);
/// The cache by these options.
[[nodiscard]] CellCache cell_cache(const OutputOptions& options);

/// Adds --jobs; the default is the number of cores.
void add_jobs_option(Command& command, int& jobs);
/// The text of --tolerance as a part of 1.
[[nodiscard]] double read_tolerance(const std::string& text);

/// The format of a file by its suffix: table, csv or json. Throws ScenarioError for other suffixes.
[[nodiscard]] std::string format_of_file(const std::filesystem::path& file);

/// Throws what write_answer() would throw for the file, before any work. `inputs`: files that will
/// be read later.
void check_output(const OutputOptions& options,
                  const std::vector<std::filesystem::path>& inputs = {});

/// `answer` as the functions to_table, to_csv and to_json write it.
template <typename Answer>
std::string in_format(const Answer& answer, const std::string& format) {
  if (format == "json") {
    return to_json(answer);
  }
  // A table's heading contains names, too.
  return format == "csv" ? to_csv(answer) : without_controls(to_table(answer), "\n");
}

/// Writes to the file of --output, if given.
template <typename Answer>
void write_answer(const Answer& answer, const OutputOptions& options) {
  if (!options.output.empty()) {
    write_file(options.output, in_format(answer, format_of_file(options.output)));
  }
}

/// Prints to standard output, unless only_file().
template <typename Answer>
void print_answer(const Answer& answer, const OutputOptions& options) {
  if (!options.only_file()) {
    print_output(in_format(answer, options.format));
  }
}

}  // namespace ringcast
