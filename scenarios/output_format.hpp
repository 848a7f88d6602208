#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

enum class OutputFormat { table, csv, json };

/// What `--format` may be.
[[nodiscard]] const std::vector<std::string>& output_format_names();
[[nodiscard]] OutputFormat output_format_named(const std::string& name);

/// A file's suffix says what is in it. Throws ScenarioError
/// "--output: FILE ends in ... (expected .json, .csv or .txt)".
[[nodiscard]] OutputFormat output_format_of(const std::filesystem::path& file);

/// What to print of a `Report`, any type with to_table, to_csv and to_json.
template <typename Report>
[[nodiscard]] std::string in_format(const Report& report, OutputFormat format) {
  switch (format) {
    case OutputFormat::csv:
      return to_csv(report);
    case OutputFormat::json:
      return to_json(report);
    case OutputFormat::table:
      break;
  }
  return to_table(report);
}

}  // namespace ringcast
