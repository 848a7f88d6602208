#include "scenarios/output_format.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/error.hpp"

namespace ringcast {

const std::vector<std::string>& output_format_names() {
  static const std::vector<std::string> names{"table", "csv", "json"};
  return names;
}

OutputFormat output_format_named(const std::string& name) {
  const auto found = std::ranges::find(output_format_names(), name);
  expect(found != output_format_names().end(), "no format named {}", name);
  return static_cast<OutputFormat>(found - output_format_names().begin());
}

OutputFormat output_format_of(const std::filesystem::path& file) {
  const std::string suffix = file.extension();
  if (suffix == ".json") return OutputFormat::json;
  if (suffix == ".csv") return OutputFormat::csv;
  if (suffix == ".txt") return OutputFormat::table;
  throw ScenarioError{fmt::format("--output: {} ends in \"{}\" (expected .json, .csv or .txt)",
                                  file.string(), suffix)};
}

}  // namespace ringcast
