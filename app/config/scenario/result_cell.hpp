#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/config/scenario/training.hpp"
#include "engine/numbers/element.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// The traffic of one direction of a cable during one cell.
struct LinkLoad {
  std::string name;
  std::string link_class;
  BytesPerSecond bandwidth;
  Bytes carried;
  double utilisation = 0;  // carried / (bandwidth * time), 0 .. 1
};

/// The parameters of training in a cell.
struct TrainingCell {
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
  std::string stragglers = {};  // `rank 4 takes 1.5 times as long`; empty: none
};

/// The parameters of one cell of a sweep, which identify a row. Parameters that the log of another
/// program lacks are empty or absent, and null in JSON.
struct Cell {
  int ranks = 1;
  Bytes size;  // of training, that of all gradients before compression
  std::string algorithm;
  Reduction reduction;
  std::string transport;
  std::string ring_order;
  std::optional<int> channels = 1;
  std::optional<Bytes> segment_size;
  std::optional<TrainingCell> training = {};
  std::string protocol = {};  // the protocol that a tuner chose; empty: it had no choice
  // Whether the program chose the algorithm and the channels, which may then differ between rows.
  bool is_chosen = false;
  bool channels_are_chosen = false;
  std::optional<int> nodes = {};  // on which the ranks are; absent: not known
};
/// In training, that of all gradients before compression, and of the weights.
[[nodiscard]] std::uint64_t element_count(const Cell& cell);
/// `tree/LL128` where a tuner chose, else `tree`
[[nodiscard]] std::string algorithm_text(const Cell& cell);
/// Whether the algorithm divides its buffer among channels, of a known number.
[[nodiscard]] bool uses_channels(const Cell& cell);
/// `tree/LL128 x 16`: what was chosen, and on how many channels if it uses several.
[[nodiscard]] std::string chosen_text(const Cell& cell);
/// Empty where they are not known.
[[nodiscard]] std::string channels_text(const Cell& cell);
/// `40 ranks, 1.2 GB, ring, by-rank`, as far as it is known; of training `8 ranks, ring, by-rank,
/// weak scaling, 32 a GPU, buckets 64 MiB, overlap on`
[[nodiscard]] std::string to_text(const Cell& cell);

/// `before-forward`, `after-backward`
[[nodiscard]] std::string_view name_of_weights(bool before_forward);

/// Whether the rule uses its size.
[[nodiscard]] bool has_size(const BucketRule& rule);
/// `64 MiB`, or `whole` and `per-layer`, which have no size
[[nodiscard]] std::string buckets_text(const BucketRule& rule);

}  // namespace ringcast
