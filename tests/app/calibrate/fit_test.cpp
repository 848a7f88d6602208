#include "app/calibrate/fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

constexpr double alpha = 10e-6;  // s
constexpr double beta = 6e9;     // bytes per second
const std::vector<double> sizes{1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/// t = alpha + S/beta for each size; values are alpha and beta, others have no effect.
std::vector<Seconds> times(const std::vector<double>& values) {
  std::vector<Seconds> all;
  for (const double size : sizes) {
    all.emplace_back(values.at(0) + size / values.at(1));
  }
  return all;
}

FitNumber number(const std::string& name, double start) {
  return {name, start, start * 1e-3, start * 1e3};
}

TEST(Fit, FindsTheNumbersOfExactRows) {
  const Fit found = fit({number("alpha", 20e-6), number("beta", 5e9)}, times, times({alpha, beta}));

  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.numbers.at(0).name, "alpha");
  EXPECT_NEAR(found.numbers.at(0).value / alpha, 1, 1e-9);
  EXPECT_NEAR(found.numbers.at(1).value / beta, 1, 1e-9);
  for (const FittedNumber& each : found.numbers) {
    EXPECT_TRUE(each.determined && !each.at_bound) << each.name;
    EXPECT_LT(each.uncertainty.value(), 1e-9) << each.name;
  }
  ASSERT_EQ(found.residuals.size(), sizes.size());
  for (const double residual : found.residuals) {
    EXPECT_NEAR(residual, 0, 1e-12);
  }
}

TEST(Fit, FindsThemFromATenthAndFromTenTimes) {
  for (const double wrong_alpha : {0.01, 0.1, 10.0, 100.0}) {
    for (const double wrong_beta : {0.01, 0.1, 10.0, 100.0}) {
      const Fit found =
          fit({number("alpha", alpha * wrong_alpha), number("beta", beta * wrong_beta)}, times,
              times({alpha, beta}));

      EXPECT_TRUE(found.converged) << wrong_alpha << " " << wrong_beta;
      EXPECT_NEAR(found.numbers.at(0).value / alpha, 1, 1e-9) << wrong_alpha << " " << wrong_beta;
      EXPECT_NEAR(found.numbers.at(1).value / beta, 1, 1e-9) << wrong_alpha << " " << wrong_beta;
    }
  }
}

TEST(Fit, TakesOneRowForOneNumber) {
  const auto model = [](const std::vector<double>& values) {
    return std::vector<Seconds>{Seconds{1.2e9 / values.at(0)}};
  };

  const Fit found = fit({number("beta", 1e9)}, model, {Seconds{0.2}});

  EXPECT_TRUE(found.converged && found.numbers.at(0).determined);
  EXPECT_NEAR(found.numbers.at(0).value, 6e9, 6);
  EXPECT_FALSE(found.numbers.at(0).uncertainty.has_value());
}

// A model t = x for both rows, measured 1 s and 2 s: (x - 1)^2 + (x/2 - 1)^2 is least at x = 6/5.
// Residuals 1/5 and -2/5, their squares' sum 1/5. One row is spare; an e-fold x would change the
// residuals by 6/5 and 3/5, so x is uncertain by sqrt(1/5) / sqrt(36/25 + 9/25) = 1/3.
TEST(Fit, MinimisesRelativeErrorsAndSaysHowSureItIs) {
  const auto model = [](const std::vector<double>& values) {
    return std::vector<Seconds>(2, Seconds{values.at(0)});
  };

  const Fit found = fit({number("x", 7)}, model, {Seconds{1}, Seconds{2}});

  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.numbers.at(0).value, 1.2, 1e-6);
  EXPECT_NEAR(found.residuals.at(0), 0.2, 1e-6);
  EXPECT_NEAR(found.residuals.at(1), -0.4, 1e-6);
  EXPECT_NEAR(found.numbers.at(0).uncertainty.value(), 1.0 / 3, 1e-6);
}

TEST(Fit, SaysThatANumberWithoutEffectIsNotDetermined) {
  const Fit found = fit({number("alpha", 20e-6), number("beta", 5e9), number("unused", 3)}, times,
                        times({alpha, beta}));

  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.numbers.at(0).value / alpha, 1, 1e-9);
  EXPECT_TRUE(found.numbers.at(0).determined && found.numbers.at(1).determined);
  EXPECT_FALSE(found.numbers.at(2).determined);
  EXPECT_FALSE(found.numbers.at(2).uncertainty.has_value());
  EXPECT_NEAR(found.numbers.at(2).value, 3, 1e-12);
}

// Two cables after each other: 1/a + 1/b is known, a and b are not.
TEST(Fit, SaysThatNumbersThatStandInForEachOtherAreNotDetermined) {
  const auto model = [](const std::vector<double>& values) {
    return times({values.at(0), 1 / (1 / values.at(1) + 1 / values.at(2))});
  };

  const Fit found = fit({number("alpha", 20e-6), number("a", 10e9), number("b", 20e9)}, model,
                        times({alpha, beta}));

  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(found.numbers.at(0).determined);
  EXPECT_FALSE(found.numbers.at(1).determined || found.numbers.at(2).determined);
  EXPECT_NEAR(1 / (1 / found.numbers[1].value + 1 / found.numbers[2].value) / beta, 1, 1e-9);
}

TEST(Fit, SaysThatOneRowDoesNotDetermineTwoNumbers) {
  const auto model = [](const std::vector<double>& values) {
    return std::vector<Seconds>{times(values).at(3)};
  };

  const Fit found = fit({number("alpha", 20e-6), number("beta", 5e9)}, model, {Seconds{1e-3}});

  EXPECT_FALSE(found.numbers.at(0).determined || found.numbers.at(1).determined);
  EXPECT_NEAR(found.residuals.at(0), 0, 1e-9);
}

// Without a latency below 15 us, the bandwidth makes the best of it.
TEST(Fit, StaysWithinTheBoundsAndSaysSo) {
  const Fit found =
      fit({{"alpha", 30e-6, 15e-6, 1e-3}, number("beta", 5e9)}, times, times({alpha, beta}));

  EXPECT_TRUE(found.converged);
  EXPECT_DOUBLE_EQ(found.numbers.at(0).value, 15e-6);
  EXPECT_TRUE(found.numbers.at(0).determined && found.numbers.at(0).at_bound);
  EXPECT_FALSE(found.numbers.at(1).at_bound);
  EXPECT_NEAR(found.residuals.at(0), 5e-6 / (alpha + 1e3 / beta), 1e-2);
}

// A time that jumps up and down ten thousand times from one to e says nothing by its derivatives.
TEST(Fit, DoesNotClaimToHaveConvergedWhereNoStepHelps) {
  const auto model = [](const std::vector<double>& values) {
    const double wave = std::sin(12345.0 * std::log(values.at(0)));
    return std::vector<Seconds>{Seconds{2 + wave}, Seconds{2 - wave / 2}};
  };

  const Fit found = fit({number("x", 1.5)}, model, {Seconds{1}, Seconds{1}});

  EXPECT_FALSE(found.converged);
}

TEST(Fit, IsTheSameEveryTimeAndCountsItsPredictions) {
  std::size_t calls = 0;
  const auto counted = [&](const std::vector<double>& values) {
    ++calls;
    return times(values);
  };
  const std::vector<FitNumber> numbers{number("alpha", 1e-6), number("beta", 1e9)};

  const Fit first = fit(numbers, counted, times({alpha, beta}));
  EXPECT_EQ(first.evaluations, calls);
  const Fit second = fit(numbers, counted, times({alpha, beta}));

  EXPECT_EQ(first.numbers[0].value, second.numbers[0].value);
  EXPECT_EQ(first.numbers[1].value, second.numbers[1].value);
  EXPECT_EQ(first.residuals, second.residuals);
}

TEST(Fit, RefusesRowsThatCannotBe) {
  const auto refusal = [](const std::vector<Seconds>& measured) {
    return machines::refusal(
        [&] { static_cast<void>(fit({number("beta", 5e9)}, times, measured)); });
  };

  EXPECT_EQ(refusal({Seconds{1}, Seconds{0}}), "measured time 2: 0 s (expected more than 0)");
  EXPECT_EQ(refusal({Seconds{-1}}), "measured time 1: -1 s (expected more than 0)");
  EXPECT_EQ(refusal({Seconds{std::nan("")}}), "measured time 1: nan s (expected more than 0)");
  EXPECT_EQ(refusal({}), "no measured times (expected one or more)");
}

TEST(Fit, KnowsItsCallersMistakes) {
  const std::vector<Seconds> one{Seconds{1}};
  const auto attempt = [&](const std::vector<FitNumber>& numbers, const PredictTimes& model) {
    static_cast<void>(fit(numbers, model, one));
  };
  const auto constant = [&](const std::vector<double>& /*values*/) { return one; };

  EXPECT_THROW(attempt({}, constant), ContractViolation);
  EXPECT_THROW(attempt({{"x", 1, 0, 2}}, constant), ContractViolation);
  EXPECT_THROW(attempt({{"x", 3, 1, 2}}, constant), ContractViolation);
  EXPECT_THROW(attempt({{"x", 1, 1, 1}}, constant), ContractViolation);
  EXPECT_THROW(attempt({number("x", 1), number("y", 1)}, times), ContractViolation);
  EXPECT_THROW(attempt({number("x", 1)},
                       [](const std::vector<double>& /*values*/) {
                         return std::vector<Seconds>{Seconds{INFINITY}};
                       }),
               ContractViolation);
}

}  // namespace
}  // namespace ringcast
