#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/logs/log_text.hpp"
#include "app/logs/measured_rows.hpp"

namespace ringcast {

/// The command-line options for a log.
struct ImportOptions {
  /// The ranks of every run, if the log has no number of ranks or a wrong one.
  std::optional<int> ranks;
  /// nccl-tests: the in-place columns instead of the out-of-place ones, which are usually quoted.
  bool in_place = false;
  /// Leave out rows whose elements or operation ringcast does not have.
  bool skip = false;
  /// OSU: the element type, instead of that of the log.
  std::optional<ElementType> data_type;
};

/// The contents of a log.
struct ImportedLog {
  std::vector<Sample> samples;
  std::string transport;  // the library that was measured
  std::string hosts;      // of the largest run; empty if not stated
  std::string devices;
  Remarks remarks;
};

/// Throws ScenarioError for implausible times: 0, which a log may print, and more than eleven days.
void expect_plausible(const LogFile& log, int line, double micros);

[[noreturn]] void fail_at(const LogFile& log, int line, std::string_view problem,
                          std::string_view expected);

}  // namespace ringcast
