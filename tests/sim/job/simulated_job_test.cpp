#include "sim/job/simulated_job.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"
#include "tests/sim/random_job_runs.hpp"

namespace ringcast {
namespace {

using testing::for_each_job;
using testing::options_of;
using testing::RandomJob;
using testing::RandomJobs;
using testing::seeds;
using testing::simulated_by_simgrid;

// Two rings of four ranks over the same cables of 10 GB/s: 6 steps with chunks of 4,000 B. Alone, a
// chunk takes 0.4 us; two that share a cable take 0.8 us, and here they always do: 4.8 us in all.
class TwoRingsOnOneCable : public ::testing::Test {
 protected:
  static constexpr std::uint64_t elements = 8 * 1000;
  static RankProgram program(const std::vector<RingOrder>& channels) {
    return [=](RankContext& self) {
      make_allreduce("ring", {channels, std::nullopt})
          ->run({self.memory.allocate(elements * 4_B), elements}, self);
    };
  }

  Topology topology_{testing::star(4, 10_GBps, 0_us)};
  TransportProfile profile_ = testing::free_of_cost();
  std::vector<RingOrder> channels_{RingOrder::identity(4), RingOrder::identity(4)};
  SimulatedJob job_{topology_, 4, profile_, Reduction{}, {}, Fidelity::cheapest};
};

TEST_F(TwoRingsOnOneCable, AreFoundByRecurrenceIfHalfTheTimeIsABearableError) {
  const auto error = job_.find_by_recurrence(channels_, elements, {4, 0.51});

  ASSERT_TRUE(error);
  EXPECT_NEAR(*error, 0.5, 1e-9);
  EXPECT_NEAR(job_.report().time.count(), 4.8e-6, 1e-15);
  EXPECT_EQ(job_.found_by(), "recurrence");
}

TEST_F(TwoRingsOnOneCable, AreFoldedIfTheErrorMustBeLess) {
  ASSERT_FALSE(job_.find_by_recurrence(channels_, elements, {4, 0.49}));
  ASSERT_FALSE(job_.find_by_recurrence(channels_, elements, {4}));

  EXPECT_EQ(job_.fold(program(channels_)), 1);
  job_.run(program(channels_));
  EXPECT_NEAR(job_.report().time.count(), 4.8e-6, 1e-15);
}

TEST_F(TwoRingsOnOneCable, AreNotFoundByRecurrenceWithMorePositionsThanAllowed) {
  EXPECT_FALSE(job_.find_by_recurrence(channels_, elements, {0, 0.51}));
}

// A longer chunk has 1,001 elements: 4.8048 us at most, 2.4 us at least.
TEST_F(TwoRingsOnOneCable, AreBoundedByTheShortestAndLongestChunk) {
  const auto error = job_.find_by_recurrence(channels_, elements + 1, {4, 0.51});

  ASSERT_TRUE(error);
  EXPECT_NEAR(*error, 1 - 2.4 / 4.8048, 1e-9);
  EXPECT_NEAR(job_.report().time.count(), 4.8048e-6, 1e-15);
}

// Both rings are under way on each cable at any time, and keep it busy: nothing but the shorter
// chunks is left open.
TEST_F(TwoRingsOnOneCable, AreBoundedByTheBytesOfTheCable) {
  const std::uint64_t longest = elements + 8;
  const RankProgram program = [&](RankContext& self) {
    make_allreduce("ring", {channels_, std::nullopt})
        ->run({self.memory.allocate(longest * 4_B), longest}, self);
  };
  job_.fold(program);

  const auto bounds = job_.bounds(program, 1e-3);

  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), (1 - 1e-3) * 4.8048e-6, 1e-15);
  EXPECT_NEAR(bounds->most.count(), 4.8048e-6, 1e-15);
}

TEST_F(TwoRingsOnOneCable, AreExactOnOneOfThem) {
  const auto error = job_.find_by_recurrence({channels_.data(), 1}, elements / 2, {4});

  ASSERT_TRUE(error);
  EXPECT_EQ(*error, 0);
  EXPECT_NEAR(job_.report().time.count(), 2.4e-6, 1e-15);
}

// Two trees over two ranks: each cable has the sums of one and the results of the other, 16
// segments of 10 kB each. Alone, a segment takes 1 us, with half of the cable 2 us. At least, a
// cable takes 32 x 10 kB / 10 GB/s = 32 us; at most, the first result follows the first sum: (16 +
// 1) x 2 us.
class TwoTreesOnOneCable : public ::testing::Test {
 protected:
  static RankProgram program(std::uint64_t segments) {
    return [=](RankContext& self) {
      make_allreduce("tree", {{RingOrder::identity(2)}, 10'000_B})
          ->run({self.memory.allocate(2 * segments * 10'000_B), 2 * segments * 2500}, self);
    };
  }

  Topology topology_{testing::star(2, 10_GBps, 0_us)};
  TransportProfile profile_ = testing::free_of_cost();
};

TEST_F(TwoTreesOnOneCable, HaveTheTimeInTheMiddleOfTheirBounds) {
  SimulatedJob job{topology_, 2, profile_, Reduction{}, {}, Fidelity::cheapest};
  job.fold(program(16));

  const auto bounds = job.run_between_bounds(program(16), 0.04);

  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), 32e-6, 1e-15);
  EXPECT_NEAR(bounds->most.count(), 34e-6, 1e-15);
  EXPECT_NEAR(job.report().time.count(), 33e-6, 1e-15);
  EXPECT_EQ(job.found_by(), "folded to 1 of 2");
}

TEST_F(TwoTreesOnOneCable, HaveNoneIfTheErrorMustBeLess) {
  SimulatedJob job{topology_, 2, profile_, Reduction{}, {}, Fidelity::cheapest};
  job.fold(program(16));

  EXPECT_FALSE(job.run_between_bounds(program(16), 0.03));  // 1 / 33
}

// A rank adds a segment that has arrived; a later one would be added first if it arrived first.
TEST_F(TwoTreesOnOneCable, HaveNoBoundsIfRanksTakeTimeToAdd) {
  profile_.reduce_rate = 100_GBps;
  SimulatedJob job{topology_, 2, profile_, Reduction{}, {}, Fidelity::cheapest};
  job.fold(program(16));

  EXPECT_FALSE(job.bounds(program(16), 0));
}

/// As predict() has it: chunks of the longest length stand for all. Whether there are bounds.
bool expect_within_bounds(const Topology& topology, const RandomJob& job, double time,
                          Symmetry symmetry = Symmetry::exact) {
  const std::uint64_t chunks = allreduce_chunk_count(job.algorithm, job.options);
  const std::uint64_t elements = job.size.count() / 4;
  const std::uint64_t chunk = elements / chunks;
  const auto messages = [&](std::uint64_t each) {
    return allreduce_message_count(job.algorithm, job.options, each * chunks, 4_B);
  };
  if (chunk == 0 || messages(chunk) != messages(chunk + 1)) return false;
  RandomJob longest = job;
  longest.size = (chunk + 1) * chunks * 4_B;
  SimulatedJob bounded{
      topology, job.ranks, job.profile, Reduction{}, options_of(topology, job), Fidelity::cheapest};
  bounded.fold(longest.program(), symmetry);

  const auto bounds = bounded.bounds(longest.program(), 1 / static_cast<double>(chunk));

  if (!bounds) return false;
  EXPECT_LE(time, (1 + 1e-9) * bounds->most.count());
  EXPECT_GE(time, (1 - 1e-9) * bounds->least.count());
  return true;
}

const auto uneven = [](RandomJobs& jobs) { return jobs.uneven(); };

TEST(BoundedJob, BoundsTheTimeInSimGrid) {
  for_each_job(seeds(12), uneven, [](const Topology& topology, const RandomJob& job) {
    static_cast<void>(expect_within_bounds(topology, job, simulated_by_simgrid(topology, job)));
  });
}

TEST(BoundedJob, BoundsTheTimeOfFluidFlowsOnAllRanks) {
  const unsigned count = seeds(100);
  unsigned bounded = 0;
  unsigned but_latency = 0;
  for_each_job(count, uneven, [&](const Topology& topology, const RandomJob& job) {
    SimulatedJob all{
        topology,          job.ranks, job.profile, Reduction{}, options_of(topology, job),
        Fidelity::cheapest};
    all.fold(job.program());
    all.run(job.program());
    const double time = all.report().time.count();
    bounded += expect_within_bounds(topology, job, time) ? 1U : 0U;
    but_latency += expect_within_bounds(topology, job, time, Symmetry::but_latency) ? 1U : 0U;
  });
  EXPECT_GT(2 * bounded, count);  // else this tests little
  EXPECT_GT(3 * but_latency, count);
}

// With the sums of switches, and results that wait for all sums.
TEST(BoundedJob, BoundsTheTimeOfPipelinedTrees) {
  unsigned with_bounds = 0;
  const auto expect_bounded = [&](const Topology& topology, RandomJob job) {
    job.profile.reduce_rate = job.profile.host_reduce_rate = BytesPerSecond{0};
    job.profile.reduce_overhead = Seconds{0};
    const SimOptions options = options_of(topology, job);
    SimulatedJob exact{topology, job.ranks, job.profile, Reduction{}, options, Fidelity::cheapest};
    exact.fold(job.program());
    exact.run(job.program());
    SimulatedJob bounded{topology,    job.ranks, job.profile,
                         Reduction{}, options,   Fidelity::cheapest};
    bounded.fold(job.program());

    const auto bounds = bounded.run_between_bounds(job.program(), 1);

    const double time = exact.report().time.count();
    if (!bounds) return;  // copies to the host take time, too
    ++with_bounds;
    EXPECT_LE(time, (1 + 1e-9) * bounds->most.count());
    EXPECT_GE(time, (1 - 1e-9) * bounds->least.count());
  };
  const unsigned count = seeds(20);
  for_each_job(
      count, [](RandomJobs& jobs) { return jobs.in_switch(); }, expect_bounded);
  for_each_job(
      count, [](RandomJobs& jobs) { return jobs.reducing_first(); }, expect_bounded);
}

}  // namespace
}  // namespace ringcast
