#include "engine/training/training_cost.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/iteration_cost.hpp"

namespace ringcast {
namespace {

/// Layers of 1, 2 and 3 s forward, 10, 20 and 30 s backward, a bucket for each.
TrainingStep three_layers() {
  TrainingStep step;
  step.layers = {{Seconds{1}, Seconds{10}}, {Seconds{2}, Seconds{20}}, {Seconds{3}, Seconds{30}}};
  step.buckets = {{2, 2, 1}, {1, 1, 1}, {0, 0, 1}};
  step.optimizer = Seconds{5};
  return step;
}

TEST(TrainingCost, AddsAllPassesAndTheOptimizer) {
  TrainingStep step = three_layers();
  step.passes = 3;
  step.pass_overhead = Seconds{0.5};

  // 3 forward passes of 6 + 0.5, 2 backward of 60; the last backward and the optimizer on top.
  EXPECT_DOUBLE_EQ(time_before_last_backward(step).count(), 3 * 6.5 + 2 * 60);
  EXPECT_DOUBLE_EQ(compute_time(step).count(), 3 * 6.5 + 3 * 60 + 5);
}

TEST(TrainingCost, ABucketIsReadyWithItsFirstLayer) {
  TrainingStep step = three_layers();
  step.buckets = {{2, 1, 2}, {0, 0, 1}};

  // 6 s forward, then layers 2 and 1, then layer 0.
  EXPECT_EQ(ready_times(step), (std::vector<Seconds>{Seconds{56}, Seconds{66}}));
}

// 6 s forward; behind layer 2, ready at 36, one more is waited for, behind layer 1 all are.
TEST(TrainingCost, ABucketLaunchedAheadWaitsForMoreLayersAndNoMoreThanThereAre) {
  TrainingStep step = three_layers();
  step.launch_ahead = 1;

  EXPECT_EQ(ready_times(step), (std::vector<Seconds>{Seconds{56}, Seconds{66}, Seconds{66}}));
  step.launch_ahead = 100;
  EXPECT_EQ(ready_times(step), (std::vector<Seconds>{Seconds{66}, Seconds{66}, Seconds{66}}));
}

// So far ahead that nothing overlaps: 71 s of computation, and 24 s of all-reduces.
TEST(TrainingCost, LaunchedAheadOfAllLayersNothingOverlaps) {
  TrainingStep step = three_layers();
  step.launch_ahead = 2;
  const std::vector<Seconds> allreduces{Seconds{7}, Seconds{8}, Seconds{9}};

  EXPECT_DOUBLE_EQ(iteration_time(step, allreduces).count(), 71 + 24);
}

TEST(TrainingCost, WithoutOverlapEverythingAddsUp) {
  TrainingStep step = three_layers();
  step.overlap = false;
  const std::vector<Seconds> allreduces{Seconds{7}, Seconds{8}, Seconds{9}};

  EXPECT_DOUBLE_EQ(iteration_time(step, allreduces).count(), 71 + 24);
}

TEST(TrainingCost, WithOverlapAFastNetworkLeavesTheLastAllreduce) {
  const std::vector<Seconds> allreduces{Seconds{7}, Seconds{8}, Seconds{9}};

  EXPECT_DOUBLE_EQ(iteration_time(three_layers(), allreduces).count(), 71 + 9);
}

TEST(TrainingCost, WithOverlapASlowNetworkIsBusyFromTheFirstBucketOn) {
  const std::vector<Seconds> allreduces{Seconds{40}, Seconds{40}, Seconds{40}};

  // 6 s forward, 30 s until the first bucket, then three all-reduces, then the optimizer.
  EXPECT_DOUBLE_EQ(iteration_time(three_layers(), allreduces).count(), 36 + 120 + 5);
}

TEST(TrainingCost, LayersBelowTheLastBucketHideIt) {
  TrainingStep step = three_layers();
  step.buckets = {{2, 2, 1}};

  EXPECT_DOUBLE_EQ(iteration_time(step, std::vector<Seconds>{Seconds{29}}).count(), 71);
}

TEST(TrainingCost, WantsATimeForEachBucket) {
  EXPECT_THROW(static_cast<void>(iteration_time(three_layers(), {})), ContractViolation);
}

// After half a second of overhead the weights of layers 0, 1 and 2 come at 4.5, 5.5 and 14.5 s. So
// layer 0 computes until 5.5, layer 1 until 7.5, and layer 2, which waits, until 17.5 s.
TEST(TrainingCost, AForwardPassWaitsForItsWeightsOnly) {
  TrainingStep step = three_layers();
  step.weights_before_forward = true;
  step.pass_overhead = Seconds{0.5};
  const std::vector<Seconds> gathers{Seconds{9}, Seconds{1}, Seconds{4}};
  const std::vector<Seconds> reductions{Seconds{7}, Seconds{8}, Seconds{9}};

  // Instead of at 6.5 s.
  EXPECT_DOUBLE_EQ(wait_for_weights(step, gathers).count(), 17.5 - 6.5);
  EXPECT_DOUBLE_EQ(iteration_time(step, reductions, gathers).count(), 77.5 + 9 + 5);
}

// Weights that come at once leave what an iteration with all-reduces behind backward takes; those
// of which the last layer's come first make all wait.
TEST(TrainingCost, WithoutOverlapForwardWaitsForAllWeights) {
  TrainingStep step = three_layers();
  step.weights_before_forward = true;
  const std::vector<Seconds> none(3, Seconds{0});
  const std::vector<Seconds> reductions{Seconds{7}, Seconds{8}, Seconds{9}};

  EXPECT_DOUBLE_EQ(iteration_time(step, reductions, none).count(), 71 + 9);
  step.overlap = false;
  EXPECT_DOUBLE_EQ(
      iteration_time(step, reductions, std::vector{Seconds{9}, Seconds{1}, Seconds{4}}).count(),
      14 + 71 + 24);
}

// Two passes: the weights come before the first only.
TEST(TrainingCost, WeightsComeOnceInAnIteration) {
  TrainingStep step = three_layers();
  step.weights_before_forward = true;
  step.passes = 2;
  const std::vector<Seconds> gathers{Seconds{0}, Seconds{0}, Seconds{4}};
  const std::vector<Seconds> reductions(3, Seconds{0});

  EXPECT_DOUBLE_EQ(iteration_time(step, reductions, gathers).count(), 4 + 2 * 66 + 5);
}

TEST(TrainingCost, WantsATimeForTheWeightsOfEachBucketOnlyWhereTheyComeFirst) {
  TrainingStep step = three_layers();
  const std::vector<Seconds> three(3, Seconds{1});

  EXPECT_THROW(static_cast<void>(iteration_time(step, three, three)), ContractViolation);
  step.weights_before_forward = true;
  EXPECT_THROW(static_cast<void>(iteration_time(step, three)), ContractViolation);
}

StepTimes took(double whole, double compute, double allreduce) {
  return {
      {Seconds{1}, Seconds{1 + whole}}, Seconds{compute}, {{Seconds{1}, Seconds{1 + allreduce}}}};
}

TEST(TrainingCost, RefusesAnIterationShorterThanItsComputationOrItsCommunication) {
  EXPECT_NO_THROW(expect_possible(took(3, 3, 2), false));
  EXPECT_THROW(expect_possible(took(3, 3.1, 2), false), ContractViolation);
  EXPECT_THROW(expect_possible(took(3, 2, 3.1), false), ContractViolation);
}

// A clock has 10 ns and a part in 1e9.
TEST(TrainingCost, AllowsForTheAccuracyOfAClock) {
  EXPECT_NO_THROW(expect_possible(took(3, 3 + 1.2e-8, 2), false));
  EXPECT_NO_THROW(expect_possible(took(1e-3, 1e-3 + 0.9e-8, 0), false));
  EXPECT_NO_THROW(expect_possible(took(1e4, 1e4 + 0.9e-5, 0), false));
  EXPECT_THROW(expect_possible(took(3, 3 + 2e-8, 2), false), ContractViolation);
  EXPECT_NO_THROW(expect_possible(took(5 + 1.2e-8, 3, 2), false));
}

TEST(TrainingCost, RefusesAnIterationLongerThanBothAfterEachOtherUnlessTheyCompete) {
  EXPECT_NO_THROW(expect_possible(took(5, 3, 2), false));
  EXPECT_THROW(expect_possible(took(5.1, 3, 2), false), ContractViolation);
  EXPECT_NO_THROW(expect_possible(took(5.1, 3, 2), true));
}

}  // namespace
}  // namespace ringcast
