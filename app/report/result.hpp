#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/result_cell.hpp"
#include "app/report/sensitivity.hpp"
#include "app/report/training_result.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// One all-reduce, predicted or measured. A prediction has one repetition: time = min = max.
struct AllreduceRow {
  Cell cell;
  Seconds time{0};  // median
  Seconds time_min{0};
  Seconds time_max{0};
  bool verified = false;                 // the sums were checked
  Seconds lower_bound{0};                // predictions: no algorithm can be faster
  std::string lower_bound_reason;        // empty where no bound is known
  std::uint64_t messages = 0;            // of a row without a bound: 0 if they were not counted
  Bytes sent_per_rank;                   // the most that one rank sent, counted
  std::vector<LinkLoad> busiest;         // the busiest links, busiest first, at most 32
  std::vector<Sensitivity> sensitivity;  // greatest effect first; empty where nobody asked
};

/// A cell that did not end: its parameters, why, and the exit code that goes with it (error.hpp).
struct FailedCell {
  Cell cell;
  std::string error;
  int exit_code = 1;
  std::optional<TrainingCell> training = {};  // of a training
};

/// Where the numbers come from: enough to repeat the run. Of an imported log, the scenario is the
/// log, and what it does not say is empty.
struct Provenance {
  std::string program_version;  // git describe, "-dirty" when so
  std::string scenario;         // its name
  std::string scenario_file;
  std::string scenario_sha256;
  std::string cluster;
  std::string backend;  // "simgrid"
  std::string host;
  std::string started_at;  // RFC 3339, UTC
  bool simulated = true;
};

struct Result {
  static constexpr int schema_version = 1;
  Provenance provenance;
  std::vector<AllreduceRow> rows;
  std::vector<TrainingRow> training;  // of a scenario that trains, which has no other rows
  std::vector<FailedCell> failures;
};

/// JSON; every key that holds a quantity ends in its unit; all digits of a double, no NaN.
[[nodiscard]] std::string to_json(const Result& result);
/// The same for one row, and back: how a simulation in a child process hands over what it found.
[[nodiscard]] std::string to_json(const AllreduceRow& row);
[[nodiscard]] AllreduceRow row_from_json(const std::string& text);
/// A row of either kind, added to the rows of its kind.
void add_row(Result& result, const JsonObject& row);
/// A whole file's text, every key and value checked. Throws ScenarioError
/// "FILE: rows[1]: time_s: missing (expected a number)".
[[nodiscard]] Result result_from_json(const std::string& text, const std::string& file);
/// The JSON Schema of to_json().
[[nodiscard]] std::string result_schema();
/// One line per row, keys of the JSON rows as columns (the lists left out), RFC 4180 quoting.
[[nodiscard]] std::string to_csv(const Result& result);
/// For people, laid out like nccl-tests' output, then what decides. Failed cells are not in it, nor
/// columns that measurements have nothing for.
[[nodiscard]] std::string to_table(const Result& result);

}  // namespace ringcast
