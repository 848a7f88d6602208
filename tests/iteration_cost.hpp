#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"

/// The closed form of an iteration of ranks that are equally fast, whatever runs beside them and
/// whoever comes late: the simulation is compared with it.

namespace ringcast {

/// With weights_before_forward: by how much the first forward pass ends later if each bucket's
/// weights take `gathers` to come. From the last bucket to the first they come one after the other,
/// and the forward pass of layer l begins when its bucket's have come and layer l-1 has ended;
/// without overlap when all have come.
inline Seconds wait_for_weights(const TrainingStep& step, std::span<const Seconds> gathers) {
  expect(gathers.size() == (step.weights_before_forward ? step.buckets.size() : 0),
         "weights of {} of {} buckets come before forward", gathers.size(), step.buckets.size());
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
  return std::max(end, arrived) - time_of_forward(step);
}

/// An all-reduce begins when its bucket is ready and the one before has ended,
///   e(k) = max(e(k-1), ready(k)) + a(k), and the optimizer when the last has ended.
/// Without overlap all are ready after backward: compute + sum of the all-reduces.
/// With weights_before_forward a(k) is the first half, and g(k) of `gathers` the second.
inline Seconds iteration_time(const TrainingStep& step, std::span<const Seconds> allreduces,
                              std::span<const Seconds> gathers = {}) {
  expect(allreduces.size() == step.buckets.size(), "{} all-reduces of {} buckets",
         allreduces.size(), step.buckets.size());
  const Seconds wait = wait_for_weights(step, gathers);
  const std::vector<Seconds> ready = ready_times(step);
  Seconds end{0};
  for (std::size_t i = 0; i < ready.size(); ++i) {
    end = std::max(end, ready[i] + wait) + allreduces[i];
  }
  return std::max(end, wait + compute_time(step) - step.optimizer) + step.optimizer;
}

}  // namespace ringcast
