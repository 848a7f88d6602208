// A training that is measured in simulated time takes as long as predicted.
#include <algorithm>

#include "app/measure/measure_training.hpp"
#include "app/measure/measurement.hpp"
#include "app/predict/predict_training.hpp"
#include "tests/app/predict/alike_layers.hpp"
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using namespace testing;

constexpr int measured_ranks = 4;

/// Four layers of 6 ms and 400 kB, one all-reduce for each; ranks are not equally fast.
Scenario noisy_training() {
  Scenario scenario;
  scenario.transport = free_of_cost();
  scenario.ranks = {measured_ranks};
  scenario.algorithms = {"ring"};
  scenario.ring_orders = {{"by-rank", {}}};
  scenario.cluster.name = "star";
  Training training = alike_layers("four layers", 4, 100'000);
  training.overlaps = {true, false};
  training.noise = {.sigma = 0.1, .seed = 5};
  scenario.training = std::move(training);
  return scenario;
}

double measured(const Scenario& scenario, const Topology& topology, std::size_t cell) {
  const PlannedTraining planned =
      plan_measurement(scenario, std::vector<int>(measured_ranks, 0)).at(cell);
  SimOptions sim;
  sim.with_data = true;
  SimTransport transport{topology, measured_ranks, scenario.transport, Reduction{}, sim};
  TimingOptions options;
  options.warmup = 1;
  options.repetitions = 3;
  const auto ring = make_allreduce("ring", planned.options);
  return measure_training(transport, {ring.get(), nullptr}, planned, *scenario.training, options,
                          {})
      .time.count();
}

double predicted(const Scenario& scenario, const Topology& topology, std::size_t cell,
                 int repetition) {
  return simulate_iteration(plan_training(scenario, topology).at(cell), scenario, topology, {},
                            repetition, [](const CellProgress&) {})
      .time.count();
}

// The middle of three repetitions. Ranks may leave the barrier a cable's latency apart, some
// microseconds of some 25 ms.
TEST(SimulatedMeasurement, TakesAsLongAsThePrediction) {
  const Scenario scenario = noisy_training();
  const Topology topology{star(measured_ranks, bandwidth, cable_latency)};
  for (const std::size_t cell : {0U, 1U}) {
    std::vector<double> times;
    for (const int repetition : {0, 1, 2}) {
      times.push_back(
          number_from_fork([&] { return predicted(scenario, topology, cell, repetition); }));
    }
    std::ranges::sort(times);

    EXPECT_NEAR(number_from_fork([&] { return measured(scenario, topology, cell); }) / times[1], 1,
                1e-3);
    EXPECT_GT(times[2] / times[0], 1.01);
  }
}

}  // namespace
}  // namespace ringcast
