#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/logs/imported_log.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Formats of logs, by their names on the command line: `nccl-tests`, `osu`.
[[nodiscard]] const std::vector<std::string_view>& log_formats();

struct ImportedFile {
  Result result;
  std::vector<std::string> remarks;  // each one line: "FILE:LINE: ..."
  bool has_wrong_sums = false;       // by the check of the log's program
  bool is_log = true;                // else a result of ours, which no option concerns
};

/// A log's all-reduces as a measured result, with the format as backend and the log as scenario.
/// Throws ScenarioError if the log cannot be read or is not of this format.
[[nodiscard]] ImportedFile import_log(const std::filesystem::path& file, std::string_view format,
                                      const ImportOptions& options);
[[nodiscard]] ImportedFile import_log(const LogFile& log, std::string_view format,
                                      const ImportOptions& options);

/// The format of a log, which is detected by its contents; nothing for other files, among them
/// those named `.yaml`, whose prose may speak of logs.
[[nodiscard]] std::optional<std::string_view> log_format_of(const std::filesystem::path& file);

/// Reads a result file, or a log of any format, which is detected by its contents.
[[nodiscard]] ImportedFile read_result(const std::filesystem::path& file,
                                       const ImportOptions& options);

}  // namespace ringcast
