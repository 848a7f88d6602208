#include "engine/training/training_step.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"
#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// Five layers, one without parameters, of a millisecond forward and two backward.
TrainingStep small_step(int workers, const BucketRule& rule) {
  TrainingStep step;
  step.layers.assign(5, {Seconds{0.001}, Seconds{0.002}});
  step.buckets = plan_buckets(std::vector<std::uint64_t>{3, 0, 1, 200, 7}, 4_B, rule);
  step.optimizer = Seconds{0.001};
  step.workers = workers;
  return step;
}

void train(const TrainingStep& step, int ranks, const std::string& algorithm, int iterations) {
  const CollectiveOptions options{{RingOrder::identity(ranks)}, std::nullopt};
  const AllreduceHalves halves = step.weights_before_forward
                                     ? make_allreduce_halves(algorithm, options)
                                     : AllreduceHalves{make_allreduce(algorithm, options), nullptr};
  ReferenceTransport transport{ranks, {ElementType::float32, Operation::sum}};
  transport.run([&](RankContext& self) {
    TrainingRank rank{step, {halves.reduce.get(), halves.gather.get()}, self};
    for (int i = 0; i < iterations; ++i) {
      rank.fill();
      const StepTimes times = rank.iterate(1);
      rank.verify();
      contract::require(times.allreduces.size() == step.buckets.size(), "{} all-reduces",
                        times.allreduces.size());
      contract::require(
          times.gathers.size() == (step.weights_before_forward ? step.buckets.size() : 0),
          "weights of {} buckets", times.gathers.size());
      // The clock's ticks, and what the endpoint's reading of it takes.
      contract::require(times.whole.length() > compute_time(step) - Seconds{1e-9}, "took {} s",
                        times.whole.length().count());
    }
  });
}

TEST(TrainingStep, SumsTheGradientsOfEveryBucketWithEveryRule) {
  for (const Bucketing bucketing : all_bucketings) {
    for (const bool overlap : {true, false}) {
      TrainingStep step = small_step(3, {bucketing, 64_B, 8_B});
      step.overlap = overlap;
      EXPECT_NO_THROW(train(step, 3, "ring", 2)) << name_of(bucketing) << overlap;
    }
  }
}

TEST(TrainingStep, RunsWithEveryAlgorithm) {
  for (const std::string& algorithm : allreduce_names()) {
    EXPECT_NO_THROW(train(small_step(4, {Bucketing::per_layer}), 4, algorithm, 1)) << algorithm;
  }
}

TEST(TrainingStep, BringsWeightsBeforeForwardWithEveryAlgorithmThatHasHalves) {
  for (const std::string& algorithm : names_with_halves()) {
    for (const Bucketing bucketing : all_bucketings) {
      for (const bool overlap : {true, false}) {
        TrainingStep step = small_step(3, {bucketing, 64_B, 8_B});
        step.weights_before_forward = true;
        step.overlap = overlap;
        step.passes = 2;
        EXPECT_NO_THROW(train(step, 3, algorithm, 2)) << algorithm << name_of(bucketing) << overlap;
      }
    }
  }
}

TEST(TrainingStep, RefusesHalvesForAWholeAndAWholeForHalves) {
  TrainingStep step = small_step(1, {Bucketing::whole});
  const auto whole = make_allreduce("ring", {{RingOrder::identity(1)}, std::nullopt});
  ReferenceTransport transport{1, {ElementType::float32, Operation::sum}};
  const auto run_with = [&](const BucketCollectives& collectives) {
    transport.run([&](RankContext& self) { TrainingRank{step, collectives, self}.iterate(1); });
  };

  EXPECT_THROW(run_with({}), ContractViolation);
  EXPECT_THROW(run_with({whole.get(), whole.get()}), ContractViolation);
  step.weights_before_forward = true;
  EXPECT_THROW(run_with({whole.get(), nullptr}), ContractViolation);
}

TEST(TrainingStep, RunsOnOneRank) {
  EXPECT_NO_THROW(train(small_step(1, {Bucketing::fusion, 8_B}), 1, "ring", 1));
}

TEST(TrainingStep, AddsUpPassesBeforeOneAllreduce) {
  TrainingStep step = small_step(2, {Bucketing::whole});
  step.passes = 3;

  EXPECT_NO_THROW(train(step, 2, "ring", 1));
}

TEST(TrainingStep, CompressedGradientsTravelAsWholeElements) {
  EXPECT_EQ(travelling_elements({0, 0, 200}, 1), 200U);
  EXPECT_EQ(travelling_elements({0, 0, 200}, 3), 67U);
  EXPECT_EQ(travelling_elements({0, 0, 1}, 100), 1U);
  EXPECT_THROW(static_cast<void>(travelling_elements({0, 0, 1}, 0.5)), ContractViolation);
}

TEST(TrainingStep, StepsWithoutGradientsCommunicateNothing) {
  TrainingStep step = small_step(2, {Bucketing::whole});
  step.buckets.clear();

  EXPECT_NO_THROW(train(step, 2, "ring", 1));
}

TEST(TrainingStep, RefusesMoreWorkersThanRanksAndBucketsOfNoLayers) {
  TrainingStep outside = small_step(2, {Bucketing::whole});
  outside.buckets = {{5, 5, 1}};

  EXPECT_THROW(train(small_step(3, {Bucketing::whole}), 2, "ring", 1), ContractViolation);
  EXPECT_THROW(train(outside, 2, "ring", 1), ContractViolation);
}

TEST(TrainingStep, RefusesNoWorkersAndReversedBuckets) {
  TrainingStep reversed = small_step(2, {Bucketing::whole});
  reversed.buckets = {{3, 4, 1}};  // first to last is 4 to 3

  EXPECT_THROW(train(small_step(0, {Bucketing::whole}), 2, "ring", 1), ContractViolation);
  EXPECT_THROW(train(reversed, 2, "ring", 1), ContractViolation);
}

TEST(TrainingStep, ComputesOnWorkersOnly) {
  const TrainingStep step = small_step(2, {Bucketing::whole});
  const auto allreduce = make_allreduce(
      "parameter-server",
      {.channels = {RingOrder::identity(2)}, .segment_size = std::nullopt, .servers = {Rank{2}}});
  ReferenceTransport transport{3, {ElementType::float32, Operation::sum}};
  transport.run([&](RankContext& self) {
    TrainingRank rank{step, {allreduce.get(), nullptr}, self};
    rank.fill();
    const Seconds compute = rank.iterate(1).compute;
    rank.verify();
    const Seconds expected = self.network.rank() == Rank{2} ? Seconds{0} : compute_time(step);
    contract::require(std::abs((compute - expected).count()) < 1e-12, "computes for {} s",
                      compute.count());
  });
}

}  // namespace
}  // namespace ringcast
