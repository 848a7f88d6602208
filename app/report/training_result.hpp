#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/result_cell.hpp"
#include "app/report/sensitivity.hpp"

namespace ringcast {

class JsonObject;

/// Something that the chosen rank did.
struct TimelineSpan {
  bool communicates = false;  // else it computes
  std::string name;
  Interval time;
};

/// Iterations of training, predicted or measured.
struct TrainingRow {
  TrainingCell cell;
  int repetitions = 1;
  Seconds iteration{0};  // the median repetition
  Seconds iteration_low{0};
  Seconds iteration_high{0};
  Seconds compute{0};
  Seconds allreduce{0};
  /// Of the same training on one GPU.
  double one_gpu_samples_per_s = 0;
  std::optional<Seconds> broadcast;
  bool verified = false;
  std::vector<LinkLoad> busiest;  // as in AllreduceRow
  std::vector<TimelineSpan> timeline;
  /// As in AllreduceRow, of the time of an iteration; with jitter, of the first repetition's.
  std::vector<Sensitivity> sensitivity;

  [[nodiscard]] Seconds exposed() const { return iteration - compute; }
  [[nodiscard]] double samples_per_s() const;
  [[nodiscard]] double speedup() const;
  [[nodiscard]] double efficiency() const;
};

/// One row as JSON, and back; the row stands in a file or alone.
[[nodiscard]] std::string to_json(const TrainingRow& row);
[[nodiscard]] TrainingRow training_row_of(const JsonObject& json);
/// For people: a line per row.
[[nodiscard]] std::string to_table(const std::vector<TrainingRow>& rows);

}  // namespace ringcast
