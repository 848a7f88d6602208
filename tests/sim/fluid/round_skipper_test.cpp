#include "sim/fluid/round_skipper.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

constexpr std::int64_t alike = 1000;

/// One rank that says after each round of a second that the next ones are alike.
class RoundSkipperTest : public ::testing::Test {
 protected:
  /// The state after the next round, in which the rank has done so many operations, and something
  /// happens `ahead` of now.
  std::optional<RoundSkipper::Skip> next(std::uint64_t operations, double ahead) {
    static_cast<void>(skipper_.repeats(0, {alike - ++rounds_}));
    EXPECT_TRUE(skipper_.wants_state());
    RoundState state;
    state.now = Seconds{static_cast<double>(rounds_)};
    state.ranks.add(operations);
    state.is_complete = skipper_.has_seen(state.ranks);
    if (state.is_complete) state.seconds = {ahead};
    return skipper_.observe(std::move(state));
  }

 private:
  RoundSkipper skipper_{1};
  std::int64_t rounds_ = 0;
};

// The first state is not complete, as it is new; the third is the first that has a complete one
// behind it, and the fifth confirms it for the third time. Of the 995 rounds that are then left,
// the rank ends one and does the last.
TEST_F(RoundSkipperTest, LeavesOutRoundsOnceAStateHasRepeatedThreeTimes) {
  for (int round = 1; round < 5; ++round) {
    EXPECT_FALSE(next(7, 0.5)) << round;
  }
  const auto skip = next(7, 0.5);
  ASSERT_TRUE(skip);
  EXPECT_EQ(skip->periods, 993);
  EXPECT_EQ(skip->time, Seconds{993});
}

// Three kinds of rounds: 3 states are new, 3 complete, and the ninth is the third that repeats. Of
// 991 rounds left, 989 are 329 periods.
TEST_F(RoundSkipperTest, FindsPeriodsOfSeveralRounds) {
  for (int round = 1; round < 9; ++round) {
    EXPECT_FALSE(next(static_cast<std::uint64_t>(round % 3), 0.5)) << round;
  }
  const auto skip = next(0, 0.5);
  ASSERT_TRUE(skip);
  EXPECT_EQ(skip->periods, 329);
}

TEST_F(RoundSkipperTest, SkipsNothingWhileRanksOrTimesDiffer) {
  for (std::uint64_t round = 0; round < 100; ++round) {
    EXPECT_FALSE(next(round, 0.5)) << round;
  }
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(next(7, 0.5 + 1e-9 * round)) << round;
  }
}

}  // namespace
}  // namespace ringcast
