#include "app/cli/output_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/provenance.hpp"
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

void add_simulation_options(Command& command, OutputOptions& options) {
  command.flag("--fresh", options.fresh,
               "compute all cells, also those that an interrupted run has left in OUTPUT.partial, "
               "or any run in the cache");
  command.flag("--no-cache", options.no_cache,
               "neither read nor write the cache of cells, $XDG_CACHE_HOME/ringcast/cells.sqlite "
               "(without the variable in ~/.cache)");
  command.flag("--yes", options.yes, "run on a terminal even what takes an hour or more");
}

CellCache cell_cache(const OutputOptions& options) {
  const auto file = options.no_cache ? std::nullopt : cell_cache_file();
  return file ? CellCache{*file, program_identity(), options.fresh} : CellCache{};
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
