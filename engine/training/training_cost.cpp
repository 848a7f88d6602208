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

/// The end of the first forward pass, whose layers wait for their weights.
Seconds end_of_forward(const TrainingStep& step, std::span<const Seconds> gathers) {
  Seconds arrived = step.pass_overhead;
  Seconds end = arrived;
  std::size_t layer = 0;
  const auto compute_before = [&](std::size_t next) {
    for (; layer < next; ++layer) {
      end = std::max(end, arrived) + step.layers[layer].forward;
    }
  };
  for (std::size_t i = gathers.size(); i-- > 0;) {
    if (step.overlap) {
      compute_before(step.buckets[i].first_layer);
    }
    arrived += gathers[i];
  }
  compute_before(step.layers.size());
  return std::max(end, arrived);
}

Seconds begin_of_last_backward(const TrainingStep& step, std::span<const Seconds> gathers) {
  const Seconds computed = time_before_last_backward(step);
  expect(gathers.size() == (step.weights_before_forward ? step.buckets.size() : 0),
         "weights of {} of {} buckets come before forward", gathers.size(), step.buckets.size());
  return step.weights_before_forward
             ? end_of_forward(step, gathers) + (computed - time_of_forward(step))
             : computed;
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

std::vector<Seconds> ready_times(const TrainingStep& step, std::span<const Seconds> gathers) {
  std::vector<Seconds> ready;
  ready.reserve(step.buckets.size());
  Seconds now = begin_of_last_backward(step, gathers);
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

Seconds iteration_time(const TrainingStep& step, std::span<const Seconds> allreduces,
                       std::span<const Seconds> gathers) {
  expect(allreduces.size() == step.buckets.size(), "{} all-reduces of {} buckets",
         allreduces.size(), step.buckets.size());
  const std::vector<Seconds> ready = ready_times(step, gathers);
  Seconds end{0};
  for (std::size_t i = 0; i < ready.size(); ++i) {
    end = std::max(end, ready[i]) + allreduces[i];
  }
  const Seconds computed =
      begin_of_last_backward(step, gathers) + sum_of(step.layers, &LayerWork::backward);
  return std::max(end, computed) + step.optimizer;
}

void expect_possible(const StepTimes& times, bool compete) {
  // A simulated clock is right to this, and to SimGrid's 1e-12 s for each of thousands of waits.
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
