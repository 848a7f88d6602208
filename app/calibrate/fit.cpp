#include "app/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/calibrate/linear_model.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// Step of the central differences, in the logarithm: well above the rounding of a simulation, 1e-8
// of a time. Their error is of the order of its square.
constexpr double difference = 1e-3;
// A smaller derivative of all times by a logarithm is rounding.
constexpr double negligible_effect = 1e-7;
// Measured times cannot determine a parameter that changes them by less than this.
constexpr double least_effect_that_tells = 1e-4;
// Relative rounding error of a predicted time.
constexpr double rounding = 1e-13;

void check(const std::vector<FitNumber>& numbers, const std::vector<Seconds>& measured) {
  expect(!numbers.empty(), "no number to fit");
  for (const FitNumber& number : numbers) {
    expect(0 < number.least && number.least < number.most && number.least <= number.start &&
               number.start <= number.most,
           "{} starts at {} within {} to {}", number.name, number.start, number.least, number.most);
  }
  if (measured.empty()) throw ScenarioError{"no measured times (expected one or more)"};
  for (std::size_t row = 0; row < measured.size(); ++row) {
    if (!(measured[row] > Seconds{0} && std::isfinite(measured[row].count()))) {
      throw ScenarioError{fmt::format("measured time {}: {} s (expected more than 0)", row + 1,
                                      measured[row].count())};
    }
  }
}

/// The model and the rows as functions of the numbers' logarithms.
class Problem {
 public:
  Problem(const std::vector<FitNumber>& numbers, const PredictTimes& predict,
          const std::vector<Seconds>& measured)
      : numbers_{numbers}, predict_{predict}, measured_{measured} {}

  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }
  [[nodiscard]] double least(std::size_t number) const { return std::log(numbers_[number].least); }
  [[nodiscard]] double most(std::size_t number) const { return std::log(numbers_[number].most); }

  [[nodiscard]] Vector start() const {
    Vector logs;
    for (const FitNumber& number : numbers_) {
      logs.push_back(std::log(number.start));
    }
    return logs;
  }

  [[nodiscard]] Vector values(const Vector& logs) const {
    Vector values;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      values.push_back(std::clamp(std::exp(logs[i]), numbers_[i].least, numbers_[i].most));
    }
    return values;
  }

  [[nodiscard]] Vector residuals(const Vector& logs) {
    ++evaluations_;
    const std::vector<Seconds> times = predict_(values(logs));
    expect(times.size() == measured_.size(), "{} predictions for {} measured times", times.size(),
           measured_.size());
    Vector residuals;
    for (std::size_t row = 0; row < times.size(); ++row) {
      residuals.push_back(times[row] / measured_[row] - 1);
      expect(std::isfinite(residuals.back()), "row {} is predicted to take {} s", row,
             times[row].count());
    }
    return residuals;
  }

  [[nodiscard]] Columns derivatives(const Vector& logs) {
    Columns columns;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      Vector up = logs;
      Vector down = logs;
      up[i] = std::min(logs[i] + difference, most(i));
      down[i] = std::max(logs[i] - difference, least(i));
      Vector column = residuals(up);
      const Vector below = residuals(down);
      for (std::size_t row = 0; row < column.size(); ++row) {
        column[row] = (column[row] - below[row]) / (up[i] - down[i]);
      }
      if (norm(column) < negligible_effect) std::ranges::fill(column, 0.0);
      columns.push_back(std::move(column));
    }
    return columns;
  }

 private:
  const std::vector<FitNumber>& numbers_;
  const PredictTimes& predict_;
  const std::vector<Seconds>& measured_;
  std::size_t evaluations_ = 0;
};

/// A step changes a value at most by a factor of e: the linear model is valid only near its point.
Vector stepped(const Problem& problem, Vector logs, const Vector& step) {
  double longest = 1;
  for (const double part : step) {
    longest = std::max(longest, std::abs(part));
  }
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i] = std::clamp(logs[i] + step[i] / longest, problem.least(i), problem.most(i));
  }
  return logs;
}

/// The state of the search.
struct Point {
  Vector logs;
  Vector residuals;
  Columns columns;
};

/// The linear model without the numbers that a descent would push out of their bounds.
LinearModel model_at(const Problem& problem, const Point& point) {
  Columns columns = point.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double slope = dot(columns[i], point.residuals);
    if ((point.logs[i] >= problem.most(i) && slope < 0) ||
        (point.logs[i] <= problem.least(i) && slope > 0)) {
      std::ranges::fill(columns[i], 0.0);
    }
  }
  return {columns, point.residuals};
}

constexpr double least_damping = 1e-12;
constexpr double most_damping = 1e8;

/// Takes the least damped step that lowers the error; false if none does.
bool descend(Problem& problem, Point& point, const LinearModel& model, double& damping) {
  const double error = dot(point.residuals, point.residuals);
  while (damping <= most_damping) {
    Vector logs = stepped(problem, point.logs, model.step(damping));
    Vector residuals = problem.residuals(logs);
    if (dot(residuals, residuals) < error) {
      point.logs = std::move(logs);
      point.residuals = std::move(residuals);
      damping = std::max(damping / 10, least_damping);
      return true;
    }
    damping *= 10;
  }
  return false;
}

/// Moves `point` to the best fit; false if it has not converged.
bool search(Problem& problem, Point& point) {
  constexpr int most_steps = 100;
  double damping = 1e-3;
  for (int steps = 0;; ++steps) {
    point.columns = problem.derivatives(point.logs);
    const LinearModel model = model_at(problem, point);
    const double error = dot(point.residuals, point.residuals);
    const double promised = model.promised(least_damping);
    const double exact = static_cast<double>(point.residuals.size()) * rounding * rounding;
    if (error <= exact || promised <= rounding * error) return true;
    if (steps == most_steps) return false;
    // No step lowers the error: converged if the model promises little more, or less than rounding.
    if (!descend(problem, point, model, damping)) {
      return promised <= 1e-6 * error || error <= 1e10 * exact;
    }
  }
}

}  // namespace

Fit fit(const std::vector<FitNumber>& numbers, const PredictTimes& predict,
        const std::vector<Seconds>& measured) {
  check(numbers, measured);
  Problem problem{numbers, predict, measured};
  Point point{problem.start(), problem.residuals(problem.start()), {}};
  Fit result;
  result.converged = search(problem, point);
  result.residuals = point.residuals;
  result.evaluations = problem.evaluations();

  const Vector values = problem.values(point.logs);
  Vector effects;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    effects.push_back(own_part(point.columns, i, least_effect_that_tells));
    const bool determined = effects[i] >= least_effect_that_tells;
    const bool at_bound = point.logs[i] <= problem.least(i) || point.logs[i] >= problem.most(i);
    result.numbers.push_back(
        {numbers[i].name, values[i], determined, determined && at_bound, std::nullopt});
  }
  const auto determined =
      static_cast<std::size_t>(std::ranges::count(result.numbers, true, &FittedNumber::determined));
  if (measured.size() > determined) {
    const auto spare = static_cast<double>(measured.size() - determined);
    const double row_error = std::sqrt(dot(point.residuals, point.residuals) / spare);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (result.numbers[i].determined) result.numbers[i].uncertainty = row_error / effects[i];
    }
  }
  return result;
}

}  // namespace ringcast
