#include "sim/job/simulated_job.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

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

TEST_F(TwoRingsOnOneCable, AreExactOnOneOfThem) {
  const auto error = job_.find_by_recurrence({channels_.data(), 1}, elements / 2, {4});

  ASSERT_TRUE(error);
  EXPECT_EQ(*error, 0);
  EXPECT_NEAR(job_.report().time.count(), 2.4e-6, 1e-15);
}

}  // namespace
}  // namespace ringcast
