// Jobs whose time is found by a recurrence, and the options of all jobs.
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "sim/job/simulated_job.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

/// Four ranks on cables of 1 us and 10 GB/s.
class JobOfFour : public ::testing::Test {
 protected:
  [[nodiscard]] SimulatedJob job(SimOptions options = {}) const {
    return {topology_, 4, profile_, Reduction{}, std::move(options), Fidelity::cheapest};
  }
  /// Two rings, one after the other, of which each rank waits for nothing else.
  [[nodiscard]] std::optional<double> run_twice(SimulatedJob& job, std::uint64_t elements,
                                                double largest_error) const {
    const auto twice = [=](const BucketCollectives& collectives, RankContext& self) {
      for (int call = 0; call < 2; ++call)
        collectives.reduce->run({self.memory.allocate(elements * 4_B), elements}, self);
    };
    return job.run_by_recurrence({ring_, Reduction{}, {elements}}, twice, false, largest_error);
  }

  Topology topology_{testing::star(4, 10_GBps, 1_us)};
  TransportProfile profile_ = testing::free_of_cost();
  std::vector<RingOrder> ring_{RingOrder::identity(4)};
};

// 6 steps of 2 us and of 1,001 elements, 0.4004 us, after 10 us; 4 ranks send 6 messages each.
TEST_F(JobOfFour, IsFoundByRecurrenceIfChunksDiffer) {
  profile_.call_overhead = 10_us;
  SimulatedJob job = this->job();
  double messages = 0;
  job.on_recurrence([&](double most) { messages = most; });

  EXPECT_EQ(job.find_by_recurrence(ring_, 4001, {1}), 0);

  EXPECT_NEAR(job.report().time.count(), 10e-6 + 6 * 2.4004e-6, 1e-15);
  EXPECT_EQ(job.report().copying_ranks, 4);
  EXPECT_EQ(messages, 24);
}

// A bearable error is that of the shorter chunks for all.
TEST_F(JobOfFour, HasTheErrorOfItsShorterChunksIfThatIsBearable) {
  SimulatedJob job = this->job();

  const auto error = job.find_by_recurrence(ring_, 4001, {1, 1e-3});

  ASSERT_TRUE(error);
  EXPECT_NEAR(*error, 0.0004 / 2.4004, 1e-9);
}

// The time of one ring says nothing about two on the same cables.
TEST_F(JobOfFour, IsNotFoundByTheFirstOfTwoRings) {
  SimulatedJob job = this->job();
  const std::vector<RingOrder> two{2, RingOrder::identity(4)};

  EXPECT_FALSE(job.find_by_recurrence(two, 8001, {4}));
}

TEST_F(JobOfFour, RunsSeveralCallsByRecurrence) {
  SimulatedJob job = this->job();

  EXPECT_EQ(run_twice(job, 4000, SimulatedJob::RecurrenceLimits::exact), 0);

  EXPECT_NEAR(job.report().time.count(), 12 * 2.4e-6, 1e-15);
  EXPECT_EQ(job.report().copying_ranks, 4);
  EXPECT_EQ(job.representative(Rank{3}), Rank{0});
}

// Each call's longest time is 6 x 0.4 ns longer; the time in calls has four such errors.
TEST_F(JobOfFour, RunsSeveralCallsOfOtherChunksIfTheirErrorIsBearable) {
  SimulatedJob job = this->job();
  EXPECT_FALSE(run_twice(job, 4001, 3e-4));

  const auto error = run_twice(job, 4001, 4e-4);

  ASSERT_TRUE(error);
  EXPECT_NEAR(*error, 4 * 2.4e-9 / 28.8048e-6, 1e-12);
  EXPECT_NEAR(job.report().time.count(), 12 * 2.4004e-6, 1e-15);
}

TEST_F(JobOfFour, IsFluidIfNoRanksAreAlike) {
  SimulatedJob job = this->job();
  const RankProgram program = testing::ring_program(4, 4000);
  EXPECT_EQ(job.fold(program, Symmetry::none), 4);

  job.run(program);

  EXPECT_EQ(job.found_by(), "fluid");
  EXPECT_EQ(job.report().copying_ranks, 4);
}

// Random delays are a part of the simulation of all ranks only.
TEST_F(JobOfFour, IsSimulatedRankByRankIfMessagesAreDelayed) {
  SimOptions options;
  options.delay_seed = 7;
  SimulatedJob job = this->job(options);
  EXPECT_FALSE(job.find_by_recurrence(ring_, 4000, {4}));
  EXPECT_FALSE(run_twice(job, 4000, 1e-3));

  EXPECT_EQ(job.fold(testing::ring_program(4, 4000)), 4);
}

// Two tags from rank 0 to rank 1, of a byte each: the later one arrives at the end.
TEST_F(JobOfFour, DelaysEachStreamOnItsOwn) {
  const RankProgram program = [](RankContext& self) {
    std::vector<Pending> messages;
    const BufferId data = self.memory.allocate(2_B);
    for (const int tag : {0, 1}) {
      const Slice byte{data, Bytes{static_cast<unsigned>(tag)}, 1_B};
      if (self.network.rank() == Rank{0})
        messages.push_back(self.network.send(Rank{1}, byte, Tag{tag}));
      if (self.network.rank() == Rank{1})
        messages.push_back(self.network.recv(Rank{0}, byte, Tag{tag}));
    }
    wait_all(messages);
  };
  const Topology fast{testing::star(4, BytesPerSecond{1e18}, 0_us)};
  const auto delay = [](std::uint64_t seed, std::uint64_t stream) {
    return random_delay(seed + (stream << 56U), 0, 1);
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SimOptions options;
    options.delay_seed = seed;
    SimulatedJob job{fast, 4, profile_, Reduction{}, options, Fidelity::cheapest};
    job.fold(program);
    job.run(program);
    EXPECT_NEAR(job.report().time.count(), std::max(delay(seed, 0), delay(seed, 1)).count(), 1e-15);
  }
}

// 5,000 messages of one rank stand for those of four.
TEST_F(JobOfFour, ReportsProgressInMessagesOfAllRanks) {
  std::vector<std::uint64_t> delivered;
  SimOptions options;
  options.traffic.progress = [&](std::uint64_t messages) { delivered.push_back(messages); };
  SimulatedJob job = this->job(options);
  const RankProgram program = [&](RankContext& self) {
    const Slice byte{self.memory.allocate(1_B), 0_B, 1_B};
    for (int message = 0; message < 5000; ++message) {
      Pending received = self.network.recv(ring_[0].previous(self.network.rank()), byte, Tag{0});
      self.network.send(ring_[0].next(self.network.rank()), byte, Tag{0}).wait();
      received.wait();
    }
  };
  EXPECT_EQ(job.fold(program), 1);

  job.run(program);

  EXPECT_EQ(delivered, (std::vector<std::uint64_t>{4 * 4096}));
}

TEST_F(JobOfFour, NeedsSimGridForDataAndRecordsOfMessages) {
  const auto needs_simgrid = [&](const SimOptions& options) {
    return testing::number_from_fork([&] { return job(options).is_simgrid() ? 1 : 0; }) == 1;
  };
  SimOptions with_data;
  with_data.with_data = true;
  SimOptions with_records;
  with_records.traffic.record_messages = true;

  EXPECT_FALSE(needs_simgrid({}));
  EXPECT_TRUE(needs_simgrid(with_data));
  EXPECT_TRUE(needs_simgrid(with_records));
}

TEST_F(JobOfFour, RefusesToRunOrToCostCallsBeforeItIsFolded) {
  SimulatedJob job = this->job();
  const RankProgram program = testing::ring_program(4, 4000);
  const auto ring = make_allreduce("ring", {ring_, std::nullopt});

  EXPECT_THROW(job.run(program), ContractViolation);
  EXPECT_THROW(static_cast<void>(job.with_call_costs(*ring)), ContractViolation);
  EXPECT_THROW(job.close_report(), ContractViolation);
}

}  // namespace
}  // namespace ringcast
