#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/scenario/input_numbers.hpp"
#include "app/config/scenario/result_cell.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// One activity of the rank whose timeline is recorded.
struct TimelineSpan {
  bool communicates = false;  // else it computes
  std::string name;
  Interval time;
};

/// The results of training besides the time of an iteration.
struct TrainingIteration {
  int repetitions = 1;
  Seconds compute{0};
  Seconds allreduce{0};
  double one_gpu_samples_per_s = 0;  // the same training on one GPU
  std::optional<Seconds> broadcast = {};
  std::vector<TimelineSpan> timeline = {};
};

/// NICs without traffic, in each node or in all together.
struct IdleNics {
  bool in_each_node = true;
  int idle = 0;
  int nics = 0;
  std::string remedy = {};  // the options that would use more of them; empty: none is known
  friend bool operator==(const IdleNics&, const IdleNics&) = default;
};

/// The range in which a measurement is expected, by the errors of predictions for published
/// machines of the same classes.
struct Band {
  Seconds low{0};
  Seconds high{0};
  std::string widest;  // the greatest contribution to the width
};

/// `11.8-13.9`, in milliseconds
[[nodiscard]] std::string to_text(const Band& band, int digits = 3);

/// The effect of one input parameter on a row's time.
struct Sensitivity {
  InputNumber number;
  double change = 0;        // 0.1: raised and lowered by 10 %
  double when_raised = 0;   // (time with the raised number - time) / time
  double when_lowered = 0;  // the same with the lowered number
  /// What is chosen then, if it differs from that of the row: `tree/Simple x 4`.
  std::string taken_when_raised = {};
  std::string taken_when_lowered = {};
};

/// One all-reduce, or iterations of training, predicted or measured. Without repetitions, the three
/// times are equal, except for a range and for bounds of a predicted all-reduce.
struct Row {
  Cell cell;
  Seconds time{0};      // median
  Seconds time_min{0};  // of training: 5 % of the repetitions take less
  Seconds time_max{0};  // of training: 5 % take longer
  /// Predictions: why the time is a range, time_min to time_max; empty: these are bounds.
  std::string range_reason = {};
  bool verified = false;  // the sums were checked
  /// Predictions: `simulated` on all ranks by SimGrid, `fluid` on all without it, `folded to 8 of
  /// 65536` ranks, ...; and the part of the time by which that may be too long, if it is known.
  std::string found_by = {};
  std::optional<double> time_error_bound = 0.0;
  Seconds lower_bound{0};               // predictions: no algorithm can be faster
  std::string lower_bound_reason = {};  // empty where no bound is known
  std::uint64_t messages = 0;           // without a lower bound, 0 means not counted
  Bytes sent_per_rank = {};             // the most that one rank sent, counted
  std::vector<LinkLoad> busiest = {};   // the busiest links, busiest first, at most 32
  std::vector<Band> band = {};          // of a prediction: at most one
  /// Greatest effect first; empty if not requested. With jitter, for the first repetition's time.
  std::vector<Sensitivity> sensitivity = {};
  std::optional<TrainingIteration> iteration = {};  // where the cell has a training
  std::vector<IdleNics> idle_nics = {};             // of an all-reduce; at most one

  /// The two bandwidths of an all-reduce; absent for one rank, which sends nothing.
  [[nodiscard]] std::optional<BytesPerSecond> algbw() const;
  [[nodiscard]] std::optional<BytesPerSecond> busbw() const;

  // Rows of training only:
  [[nodiscard]] Seconds exposed() const { return time - iteration.value().compute; }
  [[nodiscard]] double samples_per_s() const;
  [[nodiscard]] double speedup() const;
  [[nodiscard]] double efficiency() const;
};

/// A failed cell with its error message and exit code (error.hpp).
struct FailedCell {
  Cell cell;
  std::string error;
  int exit_code = 1;
};

/// The origin of a result: enough to repeat the run. For an imported log, the scenario is the log,
/// and members that it does not state are empty.
struct Provenance {
  std::string program_version;  // git describe --dirty
  std::string scenario;         // its name
  std::string scenario_file;
  std::string scenario_sha256;
  std::string cluster;
  std::string backend;  // "simgrid"
  std::string host;
  std::optional<std::string> gpus = {};  // "8 x NVIDIA H200"; of a prediction the models: "H200"
  std::string started_at;                // RFC 3339, UTC
  bool simulated = true;
};

struct Result {
  static constexpr int schema_version = 1;
  Provenance provenance;
  std::vector<Row> rows;  // all of one kind
  std::vector<FailedCell> failures;

  [[nodiscard]] bool trains() const { return !rows.empty() && rows.front().cell.training; }
};

/// JSON; every key that holds a quantity ends in its unit; all digits of a double, no NaN.
[[nodiscard]] std::string to_json(const Result& result);
/// The same for one row, and back.
[[nodiscard]] std::string to_json(const Row& row);
[[nodiscard]] Row row_from_json(const std::string& text);
/// A row without its cell, for messages from a child process to its parent, which has the cell; and
/// back. Throws ScenarioError if row_from_outcome() would, so that an implausible time fails its
/// own cell only.
[[nodiscard]] std::string checked_outcome(const Row& row);
[[nodiscard]] Row row_from_outcome(const Cell& cell, const std::string& text);
/// A whole file's text, every key and value checked. Throws ScenarioError
/// "FILE: rows[1]: time_s: missing (expected a number)".
[[nodiscard]] Result result_from_json(const std::string& text, const std::string& file);
/// One line per row, keys of the JSON rows as columns (the lists left out), RFC 4180 quoting.
[[nodiscard]] std::string to_csv(const Result& result);
/// A table in the layout of nccl-tests, then the explanations, without failed cells and without
/// columns that have no values.
[[nodiscard]] std::string to_table(const Result& result);
/// The rows only, all of training: a line per row.
[[nodiscard]] std::string training_table(const std::vector<Row>& rows);
/// The time with its band, if any, in milliseconds: `12.4 (11.8-13.9)`.
[[nodiscard]] std::string time_text(const Row& row);
/// Nothing for one rank, which sends nothing.
[[nodiscard]] std::optional<BytesPerSecond> bus_bandwidth_of(const Cell& cell, Seconds time);
/// Whether the algorithms of some rows, but not of all, were chosen.
[[nodiscard]] bool is_partly_chosen(const std::vector<Row>& rows);

}  // namespace ringcast
