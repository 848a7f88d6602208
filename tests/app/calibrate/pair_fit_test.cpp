#include "app/calibrate/pair_fit.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

Pattern pattern_of(PatternKind kind, Bytes size, int messages) {
  return {kind, size, messages, {{Rank{0}, Rank{1}}}};
}

/// A message of 1000 bytes takes 1 us of latency, 2 us of overhead and 1 us on the wire.
PairCost micros() {
  return {Seconds{1e-6}, Seconds{2e-6}, BytesPerSecond{1e9}, std::nullopt, Seconds{5e-6}};
}

/// What `cost` takes, times `factor`.
PatternTimes timed(const PairCost& cost, const Pattern& pattern, double factor = 1) {
  return {pattern, {factor * pair_time(cost, pattern)}};
}

// Three messages of 1 + 3 us: both ways, with one latency, with an answer of 1 + 2 + 0.008 us, or
// one after the other. A handshake of 5 us comes with each latency of a message above the limit,
// which the answer is not.
TEST(PairTime, IsThatOfThePattern) {
  const auto time = [](const PairCost& cost, PatternKind kind) {
    return pair_time(cost, pattern_of(kind, Bytes{1000}, 3)).count() * 1e6;
  };
  PairCost cost = micros();
  const auto expect_times = [&](double ping_pong, double acknowledged, double stream,
                                double passed) {
    EXPECT_NEAR(time(cost, PatternKind::ping_pong), ping_pong, 1e-9);
    EXPECT_NEAR(time(cost, PatternKind::acknowledged), acknowledged, 1e-9);
    EXPECT_NEAR(time(cost, PatternKind::stream), stream, 1e-9);
    EXPECT_NEAR(time(cost, PatternKind::passed), passed, 1e-9);
    EXPECT_NEAR(time(cost, PatternKind::lent), passed, 1e-9);
  };
  expect_times(24, 13.008, 10, 12);
  cost.eager_limit = Bytes{1000};
  expect_times(24, 13.008, 10, 12);
  cost.eager_limit = Bytes{999};
  expect_times(54, 18.008, 15, 27);
}

// 4 us less latency and overhead leave 1 us for 1000 bytes, 5 us leave 2. At least a hundredth of
// the time is the transfer.
TEST(RateOf, IsWithoutLatencyAndOverhead) {
  const PatternTimes sample{pattern_of(PatternKind::stream, Bytes{1000}, 1),
                            {Seconds{4e-6}, Seconds{5e-6}, Seconds{1e-6}}};
  EXPECT_NEAR(rate_of(sample, 0, micros()).value(), 1e9, 1);
  EXPECT_NEAR(rate_of(sample, 1, micros()).value(), 0.5e9, 1);
  EXPECT_NEAR(rate_of(sample, 2, micros()).value(), 100e9, 1);
  EXPECT_NEAR(sum_of_rates(sample, micros()), 101.5e9, 1);
}

std::vector<PatternTimes> exact_rows(const PairCost& cost, const std::vector<Bytes>& sizes) {
  std::vector<PatternTimes> rows{timed(cost, pattern_of(PatternKind::acknowledged, Bytes{64}, 64))};
  for (const Bytes size : sizes)
    rows.push_back(timed(cost, pattern_of(PatternKind::ping_pong, size, 1)));
  return rows;
}

// Three numbers fit three patterns exactly. Of 0.9 and 1.1 times the time of 1 MiB the best is
// q = (a + b) / (a^2 + b^2) with a = 1/0.9 and b = 1/1.1: the residuals are qa - 1 and 1 - qb, and
// two more of the four rows have none.
TEST(FitPair, HasTheMeanResidualOfItsRows) {
  std::vector<PatternTimes> rows = exact_rows(micros(), {Bytes{8}});
  const Pattern large = pattern_of(PatternKind::ping_pong, Bytes{1 << 20}, 1);
  rows.push_back(timed(micros(), large, 0.9));
  rows.push_back(timed(micros(), large, 1.1));
  const double a = 1 / 0.9;
  const double b = 1 / 1.1;
  const double q = (a + b) / (a * a + b * b);
  const PairFit found = fit_pair(rows);
  EXPECT_NEAR(found.residual, (q * a - 1 + 1 - q * b) / 4, 1e-6);
  EXPECT_NEAR(found.worst, 1 - q * b, 1e-6);
  EXPECT_EQ(found.worst_size, Bytes{1 << 20});
  EXPECT_EQ(found.least, Bytes{8});
  EXPECT_EQ(found.most, Bytes{1 << 20});
  EXPECT_NEAR(pair_time(found.cost, large) / pair_time(micros(), large), q, 1e-6);
}

TEST(FitPair, FindsAHandshake) {
  PairCost cost = micros();
  const std::vector<Bytes> sizes{8_B, 1_KiB, 4_KiB, 16_KiB, 64_KiB, 1_MiB};
  EXPECT_FALSE(fit_pair(exact_rows(cost, sizes)).cost.eager_limit.has_value());
  cost.eager_limit = 4_KiB;
  const PairCost found = fit_pair(exact_rows(cost, sizes)).cost;
  EXPECT_EQ(found.eager_limit, 4_KiB);
  EXPECT_NEAR(found.handshake.count(), 5e-6, 1e-9);
  EXPECT_NEAR(found.latency.count(), 1e-6, 1e-9);
  EXPECT_NEAR(found.overhead.count(), 2e-6, 1e-9);
  EXPECT_NEAR(found.bandwidth.value(), 1e9, 1e5);
}

TEST(FitPair, NeedsThreeRows) {
  const std::vector<PatternTimes> rows = exact_rows(micros(), {Bytes{8}});
  EXPECT_EQ(rows.size(), 2);
  EXPECT_THROW(static_cast<void>(fit_pair(rows)), ScenarioError);
}

TEST(FitPair, IsCloseUpToAFifth) {
  PairFit fit;
  fit.residual = 0.2;
  EXPECT_TRUE(fit.is_close());
  fit.residual = 0.21;
  EXPECT_FALSE(fit.is_close());
}

// Up to 2 KiB, and the largest, whatever order they are in.
TEST(FitPair, LeavesOutSizesThatCachesHold) {
  std::vector<Bytes> sizes;
  for (const PatternTimes& row :
       without_caches(exact_rows(micros(), {4_KiB, 1_MiB, 2_KiB, 8_B, 512_KiB, 1_MiB})))
    sizes.push_back(row.pattern.size);
  EXPECT_EQ(sizes, (std::vector<Bytes>{64_B, 1_MiB, 2_KiB, 8_B, 1_MiB}));
}

}  // namespace
}  // namespace ringcast
