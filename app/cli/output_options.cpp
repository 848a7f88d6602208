#include "app/cli/output_options.hpp"

#include <algorithm>
#include <thread>

#include "app/config/yaml/input_node.hpp"
#include "app/report/provenance.hpp"

namespace ringcast {

void add_output_options(Command& command, OutputOptions& options, const std::string& more) {
  command.option("--format", options.format, "the format on standard output")
      .one_of({"table", "csv", "json"})
      .shows_default();
  command.option("--output", options.output, "also write a file: .json, .csv or .txt" + more)
      .file_name();
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

void add_jobs_option(Command& command, int& jobs) {
  jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command.option("--jobs", jobs, "simulations to run in parallel")
      .range(1, 4096)
      .shows_default("the number of cores");
}

double read_tolerance(const std::string& text) {
  return InputNode::from_option("--tolerance", text).percentage(0, 1000);
}

std::string format_of_file(const std::filesystem::path& file) {
  const std::string format = format_of_name("--output", file, {"json", "csv", "txt"});
  return format == "txt" ? "table" : format;
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
