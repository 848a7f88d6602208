#pragma once

#include <utility>
#include <vector>

#include "tests/scenarios/predictions.hpp"

namespace ringcast {

class PredictTrainingTest : public PredictTest {
 protected:
  /// Ten layers of a million floats, 2 ms a sample forward and 4 ms backward each, a bucket for
  /// each, on a star of 10 GB/s.
  [[nodiscard]] Scenario training_on(int gpus, std::vector<int> ranks) const {
    Scenario scenario = scenario_on(star(gpus), gpus, 0_B);
    scenario.sizes.clear();
    scenario.ranks = std::move(ranks);
    Training training;
    training.model = "ten layers";
    training.parameters = 10'000'000;
    training.layers.assign(10, {"layer", 1'000'000, {Seconds{0.002}, Seconds{0.004}}});
    training.batches = {{Scaling::weak, 1}};
    training.buckets = {{Bucketing::per_layer}};
    training.overlaps = {true};
    scenario.training = std::move(training);
    return scenario;
  }
};

}  // namespace ringcast
