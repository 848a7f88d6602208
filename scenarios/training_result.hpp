#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/result_cell.hpp"
#include "scenarios/sensitivity.hpp"
#include "scenarios/training.hpp"

namespace ringcast {

class JsonObject;

/// What a row of training is about. The cell's size is that of all gradients, before compression.
struct TrainingCell {
  Cell cell;
  std::string model;
  std::string samples = "samples";
  std::optional<std::string> gpu;
  std::optional<std::string> fitted_on;
  Scaling scaling = Scaling::weak;
  std::int64_t batch_per_gpu = 1;
  int accumulation = 1;
  std::int64_t global_batch = 1;
  bool overlap = true;
  LaunchAhead launch_ahead;  // of 0 layers without overlap
  bool weights_before_forward = false;
  BucketRule rule;
  std::uint64_t buckets = 0;
  double compression = 1;
  double jitter = 0;
};

/// `before-forward`, `after-backward`
[[nodiscard]] std::string_view name_of_weights(bool before_forward);

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

/// `8 ranks, ring, by-rank, weak scaling, 32 a GPU, buckets 64 MiB, overlap on`
[[nodiscard]] std::string to_text(const TrainingCell& cell);

/// Of a cell that may be one of training: what messages call it.
[[nodiscard]] std::string to_text(const Cell& cell, const std::optional<TrainingCell>& training);

/// Whether the rule's size means anything to it.
[[nodiscard]] bool has_size(const BucketRule& rule);
/// `64 MiB`, or `whole` and `per-layer`, which have no size
[[nodiscard]] std::string buckets_text(const BucketRule& rule);

/// One row as JSON, and back; the row stands in a file or alone. What it is about, likewise.
[[nodiscard]] std::string to_json(const TrainingRow& row);
[[nodiscard]] std::string to_json(const TrainingCell& cell);
[[nodiscard]] TrainingCell training_cell_of(const JsonObject& json);
[[nodiscard]] TrainingRow training_row_of(const JsonObject& json);
/// For people: a line per row.
[[nodiscard]] std::string to_table(const std::vector<TrainingRow>& rows);

}  // namespace ringcast
