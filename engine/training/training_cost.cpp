#include "engine/training/training_cost.hpp"

#include <algorithm>
#include <numeric>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

Seconds sum_of(const std::vector<LayerWork>& layers, Seconds LayerWork::*part) {
  return std::accumulate(layers.begin(), layers.end(), Seconds{0},
                         [part](Seconds sum, const LayerWork& layer) { return sum + layer.*part; });
}

}  // namespace

Seconds time_of_forward(const TrainingStep& step) {
  return step.pass_overhead + sum_of(step.layers, &LayerWork::forward);
}

Seconds time_before_last_backward(const TrainingStep& step) {
  return step.passes * time_of_forward(step) +
         (step.passes - 1) * sum_of(step.layers, &LayerWork::backward);
}

Seconds compute_time(const TrainingStep& step) {
  return time_before_last_backward(step) + sum_of(step.layers, &LayerWork::backward) +
         step.optimizer;
}

std::size_t layers_before(const TrainingStep& step, const Bucket& bucket) {
  const std::size_t layers = step.layers.size();
  return step.overlap ? std::min(layers, layers - bucket.first_layer + step.launch_ahead) : layers;
}

std::vector<Seconds> ready_times(const TrainingStep& step) {
  std::vector<Seconds> ready;
  ready.reserve(step.buckets.size());
  Seconds now = time_before_last_backward(step);
  std::size_t layer = step.layers.size();
  for (const Bucket& bucket : step.buckets) {
    const std::size_t before = layers_before(step, bucket);
    while (step.layers.size() - layer < before) {
      now += step.layers[--layer].backward;
    }
    ready.push_back(now);
  }
  return ready;
}

void expect_possible(const StepTimes& times, bool compete) {
  // The accuracy of a simulated clock, including SimGrid's 1e-12 s for each of thousands of waits.
  const Seconds slack = Seconds{1e-8} + 1e-9 * times.whole.length();
  const Seconds communication = times.in_allreduces();
  expect(times.whole.length() >= std::max(times.compute, communication) - slack,
         "an iteration of {} with {} of computation and {} of all-reduces",
         to_text(times.whole.length()), to_text(times.compute), to_text(communication));
  expect(compete || times.whole.length() <= times.compute + communication + slack,
         "an iteration of {} with no more than {} of computation and {} of all-reduces",
         to_text(times.whole.length()), to_text(times.compute), to_text(communication));
}

}  // namespace ringcast
