#include "engine/training/computation_noise.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

TEST(ComputationNoise, IsNoneWithoutJitterAndStragglers) {
  EXPECT_EQ(slowness({}, Rank{3}, 7), 1.0);
}

TEST(ComputationNoise, SlowsStragglersOnly) {
  const ComputationNoise noise{.stragglers = {{Rank{1}, 1.5}}};

  EXPECT_EQ(slowness(noise, Rank{0}, 0), 1.0);
  EXPECT_EQ(slowness(noise, Rank{1}, 9), 1.5);

  const ComputationNoise jitter{.sigma = 0.1, .seed = 5};
  ComputationNoise both = jitter;
  both.stragglers = noise.stragglers;
  EXPECT_DOUBLE_EQ(slowness(both, Rank{1}, 9), 1.5 * slowness(jitter, Rank{1}, 9));
}

TEST(ComputationNoise, IsTheSameForTheSameSeedOnly) {
  const ComputationNoise noise{.sigma = 0.1, .seed = 5};
  ComputationNoise other = noise;
  other.seed = 6;

  EXPECT_EQ(slowness(noise, Rank{2}, 4), slowness(noise, Rank{2}, 4));
  EXPECT_NE(slowness(noise, Rank{2}, 4), slowness(other, Rank{2}, 4));
  EXPECT_NE(slowness(noise, Rank{2}, 4), slowness(noise, Rank{3}, 4));
  EXPECT_NE(slowness(noise, Rank{2}, 4), slowness(noise, Rank{2}, 5));
  EXPECT_NE(slowness(noise, Rank{2}, 4), slowness(other, Rank{2}, 3));
}

// The mean of 40,000 independent logarithms is within 4 standard errors, 4 sigma / 200 = 0.02
// sigma, of 0, and the variance, whose standard error is sqrt(2/40000) = 0.7 %, within 3 % of
// sigma^2.
TEST(ComputationNoise, HasALogarithmOfMeanZeroAndTheGivenDeviation) {
  const ComputationNoise noise{.sigma = 0.2, .seed = 1};
  double sum = 0;
  double squares = 0;
  constexpr int ranks = 200;
  constexpr std::uint64_t iterations = 200;
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      const double logarithm = std::log(slowness(noise, Rank{rank}, i));
      sum += logarithm;
      squares += logarithm * logarithm;
    }
  }
  constexpr double count = ranks * static_cast<double>(iterations);

  EXPECT_NEAR(sum / count, 0, 0.02 * 0.2);
  EXPECT_NEAR(squares / count / 0.04, 1, 0.03);
}

TEST(ComputationNoise, RefusesANegativeJitter) {
  EXPECT_THROW(static_cast<void>(slowness({.sigma = -0.1}, Rank{0}, 0)), ContractViolation);
}

}  // namespace
}  // namespace ringcast
