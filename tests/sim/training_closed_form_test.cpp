#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/iteration_cost.hpp"
#include "tests/ring_cost.hpp"
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using testing::bandwidth;
using testing::number_from_fork;

constexpr int ranks = 8;
// A multiple of 8 elements, so that all chunks are equal.
const std::vector<std::uint64_t> parameters{800, 2'400'000, 0, 16'000'000, 4'000'000};

TrainingStep step_of(Seconds backward, const BucketRule& rule, bool overlap) {
  TrainingStep step;
  step.layers.assign(parameters.size(), {Seconds{0.003}, backward});
  step.buckets = plan_buckets(parameters, 4_B, rule);
  step.optimizer = Seconds{0.002};
  step.pass_overhead = Seconds{0.001};
  step.overlap = overlap;
  step.workers = ranks;
  return step;
}

/// A closed form of a ring on a star, for each bucket.
std::vector<Seconds> times_of(const TrainingStep& step,
                              Seconds (*time)(const RingShape&, const HopCost&)) {
  std::vector<Seconds> times;
  for (const Bucket& bucket : step.buckets) {
    const Bytes chunk = travelling_elements(bucket, step.compression) / ranks * 4_B;
    times.push_back(time({ranks, chunk}, testing::hop()));
  }
  return times;
}

std::vector<Seconds> allreduces_of(const TrainingStep& step) {
  return times_of(step, ring_allreduce_time);
}

double simulated(
    const TrainingStep& step, const TransportProfile& profile,
    const std::function<double(Rank)>& slowness = [](Rank) { return 1.0; }) {
  return number_from_fork([&] {
    const Topology topology{testing::star(ranks, bandwidth, testing::cable_latency)};
    SimOptions options;
    options.program_is_a_call = false;
    SimTransport transport{topology, ranks, profile, Reduction{}, options};
    const CollectiveOptions options_of_ring{{RingOrder::identity(ranks)}, std::nullopt};
    const AllreduceHalves halves =
        step.weights_before_forward
            ? make_allreduce_halves("ring", options_of_ring)
            : AllreduceHalves{make_allreduce("ring", options_of_ring), nullptr};
    const auto reduce = transport.with_call_costs(
        *halves.reduce, halves.gather ? CallPart::first_half : CallPart::whole);
    const auto gather =
        halves.gather ? transport.with_call_costs(*halves.gather, CallPart::second_half) : nullptr;
    transport.run([&](RankContext& self) {
      TrainingRank rank{step, {reduce.get(), gather.get()}, self};
      const StepTimes times = rank.iterate(slowness(self.network.rank()));
      expect_possible(times, profile.compute_competition > 0);
    });
    return transport.report().time.count();
  });
}

double simulated(const TrainingStep& step) {
  return simulated(step, testing::free_of_cost());
}

TEST(SimulatedTraining, WithoutOverlapIsComputationPlusAllreduces) {
  for (const Bucketing bucketing : all_bucketings) {
    const TrainingStep step = step_of(Seconds{0.004}, {bucketing, 16_MiB}, false);
    const std::vector<Seconds> allreduces = allreduces_of(step);
    // 0.001 + 5 x 0.003 + 5 x 0.004 + 0.002 s of computation, and the rings.
    double expected = 0.038;
    for (const Seconds allreduce : allreduces)
      expected += allreduce.count();

    EXPECT_NEAR(simulated(step) / expected, 1, 1e-6) << name_of(bucketing);
  }
}

TEST(SimulatedTraining, OnAFastNetworkExposesTheLastBucketsAllreduce) {
  // The largest layer's ring takes 2 x 7/8 x 64 MB / (10 GB/s) = 11.2 ms, less than a layer's 20
  // ms.
  const TrainingStep step = step_of(Seconds{0.02}, {Bucketing::per_layer}, true);
  const double computation = 0.001 + 5 * 0.003 + 5 * 0.02 + 0.002;
  const double exposed = simulated(step) - computation;

  EXPECT_NEAR(exposed / allreduces_of(step).back().count(), 1, 1e-6);
}

TEST(SimulatedTraining, OnASlowNetworkIsTheRecursionOfBuckets) {
  for (const Bucketing bucketing : all_bucketings) {
    for (const double backward : {0.0001, 0.001, 0.003, 0.01}) {
      const TrainingStep step = step_of(Seconds{backward}, {bucketing, 16_MiB}, true);

      EXPECT_NEAR(simulated(step) / iteration_time(step, allreduces_of(step)).count(), 1, 1e-6)
          << name_of(bucketing) << ' ' << backward;
    }
  }
}

TEST(SimulatedTraining, WaitsForTheLayersThatWereLaunchedAhead) {
  for (const Bucketing bucketing : all_bucketings) {
    for (const std::size_t ahead : {1UL, 2UL, 5UL, 1000UL}) {
      TrainingStep step = step_of(Seconds{0.003}, {bucketing, 16_MiB}, true);
      step.launch_ahead = ahead;

      EXPECT_NEAR(simulated(step) / iteration_time(step, allreduces_of(step)).count(), 1, 1e-6)
          << name_of(bucketing) << ' ' << ahead;
    }
  }
}

// Gradients of a quarter of the bytes, weights in full: 22,400,800 elements on 8 ranks are chunks
// of 700,025 and of 2,800,100.
TEST(SimulatedTraining, CompressesNoWeights) {
  TrainingStep step = step_of(Seconds{0.001}, {Bucketing::whole}, true);
  step.compression = 4;
  step.weights_before_forward = true;
  const std::vector<Seconds> reductions = times_of(step, ring_reduce_scatter_time);
  const Seconds hop = testing::hop_latency + 2'800'100 * 4_B / bandwidth;
  const std::vector<Seconds> gathers{7 * hop};

  EXPECT_NEAR(simulated(step) / iteration_time(step, reductions, gathers).count(), 1, 1e-6);
}

TEST(SimulatedTraining, ComputesForwardAsItsWeightsCome) {
  for (const Bucketing bucketing : all_bucketings) {
    for (const double backward : {0.0001, 0.003, 0.01}) {
      for (const bool overlap : {true, false}) {
        TrainingStep step = step_of(Seconds{backward}, {bucketing, 16_MiB}, overlap);
        step.weights_before_forward = true;
        const std::vector<Seconds> reductions = times_of(step, ring_reduce_scatter_time);
        const std::vector<Seconds> gathers = times_of(step, ring_all_gather_time);

        EXPECT_NEAR(simulated(step) / iteration_time(step, reductions, gathers).count(), 1, 1e-6)
            << name_of(bucketing) << ' ' << backward << ' ' << overlap;
      }
    }
  }
}

TEST(SimulatedTraining, AddsUpPassesAndCompresses) {
  TrainingStep step = step_of(Seconds{0.001}, {Bucketing::whole}, true);
  step.passes = 3;
  step.compression = 4;  // 22,400,800 elements / 4 / 8 ranks: whole chunks of 700,025 still
  // 3 x (0.001 + 5 x 0.003 + 5 x 0.001) + 0.002 s, and one ring of a quarter.
  const Seconds hop = testing::hop_latency + 700'025 * 4_B / bandwidth;
  const double expected = 0.065 + 14 * hop.count();

  EXPECT_NEAR(simulated(step) / expected, 1, 1e-6);
}

TEST(SimulatedTraining, PaysTheCallOverheadForEachBucket) {
  TransportProfile profile = testing::free_of_cost();
  profile.call_overhead = Seconds{0.0005};
  const TrainingStep step = step_of(Seconds{0.004}, {Bucketing::per_layer}, false);
  double expected = 0.038;
  for (const Seconds allreduce : allreduces_of(step))
    expected += allreduce.count() + 0.0005;

  EXPECT_NEAR(simulated(step, profile) / expected, 1, 1e-6);
}

TEST(SimulatedTraining, WaitsForTheSlowestRank) {
  const TrainingStep step = step_of(Seconds{0.004}, {Bucketing::whole}, true);
  const double expected = simulated(step) - 0.038 + 1.5 * 0.038;

  EXPECT_NEAR(
      simulated(step, testing::free_of_cost(), [](Rank r) { return r == Rank{5} ? 1.5 : 1; }) /
          expected,
      1, 1e-6);
}

// Two of the five layers' gradients, 16 and 4 million floats, are all-reduced in buckets of their
// own beside a backward pass that lasts longer than both. A rank combines 7/8 of 80 MB at 8 GB/s,
// 8.75 ms, of which the computation loses half.
TEST(SimulatedTraining, AComputationLosesItsShareToReductions) {
  TransportProfile profile = testing::free_of_cost();
  profile.reduce_rate = 8_GBps;
  TrainingStep step = step_of(Seconds{0.1}, {Bucketing::per_layer}, true);
  step.buckets.resize(2);
  const double alone = simulated(step, profile);
  profile.compute_competition = 0.5;

  EXPECT_NEAR(alone, 0.001 + 5 * 0.003 + 5 * 0.1 + 0.002, 1e-6);
  EXPECT_NEAR(simulated(step, profile) - alone, 0.5 * 7.0 / 8 * 80e6 / 8e9, 1e-6);
}

}  // namespace
}  // namespace ringcast
