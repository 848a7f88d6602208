#include "app/predict/async_window.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// A worker whose rounds take `compute` and then `exchange`, the first one `late` longer.
StepTimes worker(int rounds, Seconds compute, Seconds exchange, Seconds late = Seconds{0}) {
  StepTimes times;
  Seconds end = late;
  for (int round = 0; round < rounds; ++round) {
    times.allreduces.push_back({end + compute, end + compute + exchange});
    end = times.allreduces.back().end;
  }
  times.whole.end = end;
  return times;
}

const StepTimes server;

// 1/(2 s) and 1/(5 s) are 0.7 rounds a second of two workers. The first computes 1.5 of 2 s, the
// other 4 of 5 s: 1.55 workers compute at any time, for 1.55/0.7 s a round.
TEST(AsyncWindow, HasTheSumOfTheWorkersRates) {
  const std::vector<StepTimes> ranks{server, worker(25, Seconds{1.5}, Seconds{0.5}),
                                     worker(9, Seconds{4}, Seconds{1})};

  const MeanRound round = mean_round(ranks);

  EXPECT_NEAR(round.time.count(), 2 / 0.7, 1e-12);
  EXPECT_NEAR(round.compute.count(), 1.55 / 0.7, 1e-12);
  EXPECT_NEAR(round.exchange.count(), 0.45 / 0.7, 1e-12);
}

TEST(AsyncWindow, BeginsAfterTheFirstRounds) {
  const std::vector<StepTimes> ranks{worker(11, Seconds{1}, Seconds{1}),
                                     worker(11, Seconds{1}, Seconds{1}, Seconds{3})};

  EXPECT_NEAR(mean_round(ranks).time.count(), 2, 1e-12);
}

// The window ends at 45 s, with the ninth round of the slow worker; the other's nine take 18 s.
TEST(AsyncWindow, IsFilledByTheRoundsOfAllWorkers) {
  std::vector<int> rounds{1, 9, 9};
  const std::vector<StepTimes> few{server, worker(9, Seconds{1}, Seconds{1}),
                                   worker(9, Seconds{4}, Seconds{1})};
  EXPECT_THROW(static_cast<void>(mean_round(few)), ContractViolation);

  EXPECT_TRUE(fill_window(rounds, few));
  EXPECT_EQ(rounds, (std::vector{1, 24, 9}));

  const std::vector<StepTimes> enough{server, worker(24, Seconds{1}, Seconds{1}),
                                      worker(9, Seconds{4}, Seconds{1})};
  EXPECT_FALSE(fill_window(rounds, enough));
}

// The slow worker ends 8 of 1 s each in 8 s; the round of the other takes 100 s then, which counts:
// 9 rounds in the 8 s of the window rather than 8 in the 0.8 s before.
TEST(AsyncWindow, CountsARoundThatTakesLongAtItsEnd) {
  StepTimes stalled = worker(9, Seconds{0}, Seconds{0.1}, Seconds{0.9});
  stalled.allreduces.push_back({Seconds{1.9}, Seconds{100}});
  const std::vector<StepTimes> ranks{worker(10, Seconds{0}, Seconds{1}), stalled};

  EXPECT_NEAR(2 / mean_round(ranks).time.count(), 1 + 9 / 8.0, 1e-12);
}

TEST(AsyncWindow, OfNoTimeHasNone) {
  const std::vector<StepTimes> ranks{worker(10, Seconds{0}, Seconds{0})};

  EXPECT_EQ(mean_round(ranks).time, Seconds{0});
}

}  // namespace
}  // namespace ringcast
