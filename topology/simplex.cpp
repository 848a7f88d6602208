#include "topology/simplex.hpp"

#include <algorithm>
#include <limits>

#include "topology/index.hpp"

namespace ringcast::detail {

namespace {

/// Rounding errors.
constexpr double nothing = 1e-9;

}  // namespace

// Limits are lowered by up to a ten millionth, each by another fraction, so that a step rarely
// exhausts two rows: with ties the method may go round in circles.
Simplex::Simplex(const std::vector<double>& limits)
    : rows_{limits.size()}, values_{limits}, gains_(rows_), inverse_(rows_ * rows_) {
  for (std::size_t row = 0; row < rows_; ++row) {
    values_[row] *= 1 - 1e-10 * static_cast<double>((row * 7'919 + 13) % 1'009);
    variables_.push_back(-1 - static_cast<int>(row));
    inverse_[row * rows_ + row] = 1;
  }
}

bool Simplex::enter(int variable, const std::vector<double>& column) {
  if (!pivot(variable, 1, column)) {
    return false;
  }
  // A price below zero: leaving some of the row unused raises the sum.
  for (std::size_t step = 0; step < 10 * rows_; ++step) {
    const std::vector<double> priced = prices();
    const auto lowest = std::ranges::min_element(priced);
    if (*lowest >= -nothing) {
      break;
    }
    std::vector<double> rest(rows_);
    const auto row = static_cast<std::size_t>(lowest - priced.begin());
    rest[row] = 1;
    if (!pivot(-1 - static_cast<int>(row), 0, rest)) {
      break;
    }
  }
  return true;
}

std::vector<double> Simplex::prices() const {
  std::vector<double> found(rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t row = 0; gains_[i] > 0 && row < rows_; ++row) {
      found[row] += gains_[i] * inverse_[i * rows_ + row];
    }
  }
  return found;
}

double Simplex::sum() const {
  double sum = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    sum += gains_[i] * values_[i];
  }
  return sum;
}

std::vector<std::pair<int, double>> Simplex::solution() const {
  std::vector<std::pair<int, double>> found;
  for (std::size_t i = 0; i < rows_; ++i) {
    if (variables_[i] >= 0 && values_[i] > nothing) {
      found.emplace_back(variables_[i], values_[i]);
    }
  }
  return found;
}

/// Brings a variable into the basis, in place of the one that reaches zero first.
bool Simplex::pivot(int variable, double gain, const std::vector<double>& column) {
  std::vector<double> rates(rows_);  // at which the basis gives way
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t row = 0; row < rows_; ++row) {
      rates[i] += inverse_[i * rows_ + row] * column[row];
    }
  }
  std::size_t leaving = rows_;
  double value = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < rows_; ++i) {
    if (rates[i] > nothing && values_[i] / rates[i] < value) {
      value = values_[i] / rates[i];
      leaving = i;
    }
  }
  if (leaving == rows_) {
    return false;
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    inverse_[leaving * rows_ + row] /= rates[leaving];
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    if (i == leaving || rates[i] == 0) {
      continue;
    }
    values_[i] = std::max(0.0, values_[i] - rates[i] * value);
    for (std::size_t row = 0; row < rows_; ++row) {
      inverse_[i * rows_ + row] -= rates[i] * inverse_[leaving * rows_ + row];
    }
  }
  variables_[leaving] = variable;
  values_[leaving] = value;
  gains_[leaving] = gain;
  return true;
}

}  // namespace ringcast::detail
