#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/logs/imported_log.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Formats of logs, by the name of the command line: `nccl-tests`, `osu`.
[[nodiscard]] const std::vector<std::string_view>& log_formats();

struct ImportedFile {
  Result result;
  std::vector<std::string> remarks;  // each one line: "FILE:LINE: ..."
  bool has_wrong_sums = false;       // in a row that the log's program checked
};

/// A log's all-reduces as a result: measured, with the format as backend and the log as scenario.
/// Throws ScenarioError where the log cannot be read or is not what it should be.
[[nodiscard]] ImportedFile import_log(const std::filesystem::path& file, std::string_view format,
                                      const ImportOptions& options);
[[nodiscard]] ImportedFile import_log(const LogFile& log, std::string_view format,
                                      const ImportOptions& options);

/// A result file of ours, or a log of any format, told apart by what is in it.
[[nodiscard]] ImportedFile read_result(const std::filesystem::path& file,
                                       const ImportOptions& options);

}  // namespace ringcast
