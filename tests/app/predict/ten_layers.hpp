#pragma once

#include <utility>
#include <vector>

#include "app/predict/predict_training.hpp"
#include "tests/app/predict/alike_layers.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {

class PredictTrainingTest : public PredictTest {
 protected:
  /// Ten layers of a million floats, 2 ms a sample forward and 4 ms backward each, a bucket for
  /// each, on a star of 10 GB/s.
  [[nodiscard]] Scenario training_on(int gpus, std::vector<int> ranks) const {
    Scenario scenario = scenario_on(star(gpus), gpus, 0_B);
    scenario.sizes.clear();
    scenario.ranks = std::move(ranks);
    scenario.training = alike_layers("ten layers", 10, 1'000'000);
    return scenario;
  }
  static std::vector<Row> training_rows(const Scenario& scenario,
                                        const PredictOptions& options = {}) {
    Result result = predict_training(scenario, options);
    for (const FailedCell& failure : result.failures) {
      ADD_FAILURE() << failure.error;
    }
    return std::move(result.rows);
  }
};

}  // namespace ringcast
