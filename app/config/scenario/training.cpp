#include "app/config/scenario/training.hpp"

#include <fmt/format.h>

namespace ringcast {

std::string_view name_of(Scaling scaling) {
  return scaling == Scaling::weak ? "weak" : "strong";
}

Seconds time_per_sample(const Training& training) {
  Seconds sum{0};
  for (const TrainedLayer& layer : training.layers) {
    sum += layer.per_sample.forward + layer.per_sample.backward;
  }
  return sum;
}

void set_time_per_sample(Training& training, Seconds time) {
  const double factor = time / time_per_sample(training);
  for (TrainedLayer& layer : training.layers) {
    layer.per_sample.forward *= factor;
    layer.per_sample.backward *= factor;
  }
}

std::int64_t batch_per_gpu(const Training& training, const BatchChoice& batch, int ranks) {
  if (batch.scaling == Scaling::weak) {
    return batch.samples;
  }
  const std::int64_t passes = std::int64_t{ranks} * training.accumulation;
  return (batch.samples + passes - 1) / passes;
}

std::int64_t global_batch(const Training& training, const BatchChoice& batch, int ranks) {
  return batch.scaling == Scaling::strong ? batch.samples
                                          : batch.samples * ranks * training.accumulation;
}

std::optional<std::string> batch_problem(const Training& training, const BatchChoice& batch,
                                         int ranks) {
  const std::int64_t passes = std::int64_t{ranks} * training.accumulation;
  if (batch.scaling == Scaling::weak || batch.samples >= passes) return std::nullopt;
  return fmt::format("{} samples for {} passes", batch.samples, passes);
}

TrainingStep step_of(const Training& training, std::int64_t samples_per_pass, Bytes element_size,
                     const BucketRule& rule, bool overlap, int ranks) {
  const auto samples = static_cast<double>(samples_per_pass);
  TrainingStep step;
  std::vector<std::uint64_t> parameters;
  step.layers.reserve(training.layers.size());
  parameters.reserve(training.layers.size());
  for (const TrainedLayer& layer : training.layers) {
    step.layers.push_back(
        {samples * layer.per_sample.forward, samples * layer.per_sample.backward});
    parameters.push_back(layer.parameters);
  }
  step.buckets = plan_buckets(parameters, element_size, rule);
  step.pass_overhead = training.pass_overhead;
  step.passes = training.accumulation;
  step.optimizer = training.optimizer;
  step.compression = training.compression;
  step.overlap = overlap;
  step.launch_ahead = static_cast<std::size_t>(training.launch_ahead.layers);
  step.weights_before_forward = training.weights_before_forward;
  step.workers = ranks;
  return step;
}

}  // namespace ringcast
