#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/element.hpp"
#include "engine/training/computation_noise.hpp"
#include "engine/training/training_step.hpp"

namespace ringcast {

/// Weak: the batch of each GPU is constant. Strong: the global batch is constant.
enum class Scaling { weak, strong };
/// `weak`, `strong`
[[nodiscard]] std::string_view name_of(Scaling scaling);

struct BatchChoice {
  Scaling scaling = Scaling::weak;
  std::int64_t samples = 1;  // weak: of a GPU's pass; strong: of an iteration of all GPUs
};

/// A layer with its time.
struct TrainedLayer {
  std::string name;
  std::uint64_t parameters = 0;
  LayerWork per_sample;
};

/// TrainingStep::launch_ahead, and where the number comes from.
struct LaunchAhead {
  int layers = 0;
  std::optional<std::string> source;
};

/// The `training` part of a scenario, fully resolved: each layer has a time.
struct Training {
  std::string model;
  std::string samples;                   // the noun for them
  std::optional<std::string> gpu;        // the GPU compute file's name
  std::optional<std::string> fitted_on;  // what its times were fitted on
  std::string compute_source;            // where the layers' times come from
  std::uint64_t parameters = 0;
  std::vector<TrainedLayer> layers;  // in forward order; ModelLayer::count is expanded
  Seconds pass_overhead{0};
  std::vector<BatchChoice> batches;  // one or both scalings
  int accumulation = 1;
  std::vector<BucketRule> buckets;  // of one bucketing
  std::vector<bool> overlaps;
  LaunchAhead launch_ahead;
  bool weights_before_forward = false;
  double compression = 1;
  Seconds optimizer{0};
  bool broadcast = false;
  ComputationNoise noise;
  int repetitions = 1;
};

/// The time of all layers for a sample, forward and backward; setting it scales every layer.
[[nodiscard]] Seconds time_per_sample(const Training& training);
void set_time_per_sample(Training& training, Seconds time);

/// The samples of one forward and backward pass of each of `ranks` GPUs (strong: of the GPU with
/// the most), and of one iteration of all GPUs.
[[nodiscard]] std::int64_t batch_per_gpu(const Training& training, const BatchChoice& batch,
                                         int ranks);
[[nodiscard]] std::int64_t global_batch(const Training& training, const BatchChoice& batch,
                                        int ranks);
/// Why `ranks` GPUs cannot divide the batch: a pass of one of them would have no sample.
[[nodiscard]] std::optional<std::string> batch_problem(const Training& training,
                                                       const BatchChoice& batch, int ranks);
inline constexpr std::string_view expected_batch = "one sample at least for each pass of each GPU";
/// One iteration of `ranks` GPUs with passes of `samples_per_pass`.
[[nodiscard]] TrainingStep step_of(const Training& training, std::int64_t samples_per_pass,
                                   Bytes element_size, const BucketRule& rule, bool overlap,
                                   int ranks);

}  // namespace ringcast
