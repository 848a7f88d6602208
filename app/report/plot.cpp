#include "app/report/plot.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/ranges.h>

#include "app/common/data_file.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') {
    return std::nullopt;
  }
  return value;
}

fs::path analysis_folder() {
  const fs::path folder = variable("RINGCAST_ANALYSIS_DIR").value_or(data_folder() / "analysis");
  std::error_code failure;
  if (!fs::exists(folder / "ringcast_analysis" / "__main__.py", failure)) {
    throw BackendUnavailable{fmt::format(
        "{}: no ringcast_analysis there (expected RINGCAST_ANALYSIS_DIR to name its folder)",
        folder.string())};
  }
  return fs::absolute(folder, failure);
}

/// The interpreters that might have matplotlib.
std::vector<std::string> interpreters() {
  if (const auto chosen = variable("RINGCAST_PYTHON")) return {*chosen};
  return {"python3", "/usr/bin/python3"};
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  const std::size_t line_break = text.rfind('\n');
  return line_break == std::string::npos ? text : text.substr(line_break + 1);
}

void throw_unless_succeeded(const std::string& python, const ChildOutcome& outcome) {
  if (outcome.succeeded()) {
    return;
  }
  const std::string line = last_line(outcome.errors);
  if (const auto signal = signal_of(outcome.exit_code)) {
    throw TransportError{fmt::format("{}: killed by {} (expected it to run to its end)", python,
                                     signal_text(*signal))};
  }
  if (outcome.exit_code == 2) throw ScenarioError{line};
  throw ContractViolation{fmt::format("{} -m ringcast_analysis: {}", python, line)};
}

/// Nothing if the interpreter does not exist or has no matplotlib.
std::optional<ChildOutcome> outcome_with(const ChildCommand& command) {
  constexpr int unavailable = 3;
  try {
    ChildOutcome outcome = run_child(command);
    if (outcome.exit_code != unavailable) return outcome;
  } catch (const BackendUnavailable&) {
    return std::nullopt;
  }
  return std::nullopt;
}

/// Runs the analysis package and returns its standard output; `input` is its standard input.
std::string run_analysis(std::vector<std::string> arguments, const std::string& input = {}) {
  const auto others = variable("PYTHONPATH");
  const std::string path = analysis_folder().string() + (others ? ":" + *others : std::string{});
  arguments.insert(arguments.begin(), {"-m", "ringcast_analysis"});
  for (const std::string& python : interpreters()) {
    // Without imports from the working directory (json.py), and without writing a __pycache__.
    const ChildCommand command{
        python,
        arguments,
        {{"PYTHONSAFEPATH", "1"}, {"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONPATH", path}},
        input};
    if (auto outcome = outcome_with(command)) {
      throw_unless_succeeded(python, *outcome);
      return std::move(outcome->output);
    }
  }
  throw BackendUnavailable{
      fmt::format("no Python with matplotlib: tried {} (apt install python3-matplotlib, or name an "
                  "interpreter in RINGCAST_PYTHON)",
                  fmt::join(interpreters(), ", "))};
}

}  // namespace

void run_plot(const std::vector<fs::path>& results, const fs::path& output,
              const std::string& kind) {
  const std::string format = format_of_name("--output", output, {"png", "svg", "pdf"});
  std::ranges::for_each(results, note_input);
  check_writable(output);
  // A file name may begin with a dash: "=" and "--" keep it from being read as an option.
  std::vector<std::string> arguments{"plot", fmt::format("--format={}", format),
                                     fmt::format("--kind={}", kind), "--"};
  for (const fs::path& result : results) {
    arguments.push_back(result.string());
  }
  write_file(output, run_analysis(std::move(arguments)));
}

std::string picture_of_rings(const std::string& json, const std::string& format) {
  return run_analysis({"rings", fmt::format("--format={}", format)}, json);
}

}  // namespace ringcast
