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
  std::optional<RoundSkipper::Skip> next(std::uint64_t operations, double ahead,
                                         std::uint64_t messages = 0) {
    static_cast<void>(skipper_.repeats(0, {alike - ++rounds_}));
    EXPECT_TRUE(skipper_.wants_state());
    RoundState state;
    state.now = Seconds{begin_ + static_cast<double>(rounds_)};
    state.ranks.add(operations);
    state.is_complete = skipper_.has_seen(state.ranks);
    state.counts.add(messages);
    if (state.is_complete) state.seconds = {ahead};
    return skipper_.observe(std::move(state));
  }
  /// Whether rounds are skipped after the fifth, as soon as may be.
  [[nodiscard]] bool skips_if_ahead_differs_by(double difference) {
    for (int round = 1; round < 5; ++round) {
      EXPECT_FALSE(next(7, 0.5 + difference * (round % 2)));
    }
    return next(7, 0.5 + difference).has_value();
  }

  RoundSkipper skipper_{1};
  std::int64_t rounds_ = 0;
  double begin_ = 0;
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

TEST_F(RoundSkipperTest, SkipsNothingWhileMessagesDiffer) {
  for (std::uint64_t round = 0; round < 10; ++round) {
    EXPECT_FALSE(next(7, 0.5, round)) << round;
  }
}

// The tolerance is 1e-12 of a period, here of 1 s: states of two periods, or of one, count as
// equal.
TEST_F(RoundSkipperTest, AcceptsDifferencesOfAMillionthOfAMillionthOfThePeriod) {
  EXPECT_TRUE(skips_if_ahead_differs_by(0.9e-12));
}
TEST_F(RoundSkipperTest, AcceptsNoLargerDifferences) {
  for (int round = 1; round < 9; ++round) {
    EXPECT_FALSE(next(7, 0.5 + 1.1e-12 * round)) << round;
  }
}
// After 1e6 s, two times that differ by a second are rounded by up to 4e-10 s.
TEST_F(RoundSkipperTest, AcceptsTheRoundingOfLateTimes) {
  begin_ = 1e6;
  EXPECT_TRUE(skips_if_ahead_differs_by(2e-10));
}

// After four rounds of one loop, the first of another one repeats nothing.
TEST_F(RoundSkipperTest, BeginsAnewInAnotherLoop) {
  for (int round = 1; round < 5; ++round) {
    EXPECT_FALSE(next(7, 0.5));
  }
  rounds_ = 100;  // other rounds left than one less
  for (int round = 1; round < 5; ++round) {
    EXPECT_FALSE(next(7, 0.5)) << round;
  }
  EXPECT_TRUE(next(7, 0.5));
}

// A rank is told of the 329 periods of 3 rounds when it calls next.
TEST_F(RoundSkipperTest, TellsEachRankHowManyRoundsItSkips) {
  RoundSkipper two{2};
  std::optional<RoundSkipper::Skip> skip;
  std::int64_t rounds = 0;
  const auto run_round = [&] {
    ++rounds;
    EXPECT_EQ(two.repeats(0, {alike - rounds}), 0);
    EXPECT_EQ(two.repeats(1, {alike - rounds}), 0);
    EXPECT_EQ(two.lead(1), 0);
    RoundState state;
    state.now = Seconds{static_cast<double>(rounds)};
    state.ranks.add(static_cast<std::uint64_t>(rounds % 3));
    state.is_complete = two.has_seen(state.ranks);
    skip = two.observe(std::move(state));
  };
  while (!skip && rounds < 100)
    run_round();
  ASSERT_TRUE(skip);
  ASSERT_EQ(skip->periods, 329);

  ++rounds;
  EXPECT_EQ(two.repeats(0, {alike - rounds}), 987);
  EXPECT_EQ(two.lead(1), -988);
  EXPECT_EQ(two.repeats(1, {alike - rounds}), 987);
  EXPECT_EQ(two.lead(1), 0);
}

// Within 48 states from the first one of a loop on.
TEST_F(RoundSkipperTest, MaySkipSoonWhereAPeriodMayYetBeFound) {
  EXPECT_FALSE(skipper_.may_skip_soon());
  for (std::uint64_t round = 0; round < 47; ++round) {
    EXPECT_FALSE(next(round, 0.5));
    EXPECT_TRUE(skipper_.may_skip_soon()) << round;
  }
  EXPECT_FALSE(next(47, 0.5));
  EXPECT_FALSE(skipper_.may_skip_soon());
  rounds_ = 100;  // another loop
  EXPECT_FALSE(next(48, 0.5));
  EXPECT_TRUE(skipper_.may_skip_soon());
  skipper_.forbid();
  EXPECT_FALSE(skipper_.may_skip_soon());
}

TEST_F(RoundSkipperTest, WantsNoStateOfTheLastRound) {
  static_cast<void>(skipper_.repeats(0, {0}));
  EXPECT_FALSE(skipper_.wants_state());
}

}  // namespace
}  // namespace ringcast
