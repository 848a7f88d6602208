#include "scenarios/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/error.hpp"

namespace ringcast {
namespace {

/// Solves matrix x = right for a symmetric positive definite matrix, by Cholesky's factors.
Vector solved(Columns matrix, Vector right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) {
        rest -= matrix[i][k] * matrix[j][k];
      }
      expect(i != j || rest > 0, "no positive definite matrix: {} in row {}", rest, i);
      matrix[i][j] = i == j ? std::sqrt(rest) : rest / matrix[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      right[i] -= matrix[i][k] * right[k];
    }
    right[i] /= matrix[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      right[i] -= matrix[k][i] * right[k];
    }
    right[i] /= matrix[i][i];
  }
  return right;
}

/// `column` without its parts along `directions`, which are orthogonal and of length 1.
Vector without(Vector column, const Columns& directions) {
  for (int pass = 0; pass < 2; ++pass) {  // the second takes what rounding left
    for (const Vector& direction : directions) {
      const double part = dot(column, direction);
      for (std::size_t row = 0; row < column.size(); ++row) {
        column[row] -= part * direction[row];
      }
    }
  }
  return column;
}

}  // namespace

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}

LinearModel::LinearModel(const Columns& columns, const Vector& residuals) {
  for (const Vector& column : columns) {
    descent_.push_back(-dot(column, residuals));
    scale_ = std::max(scale_, dot(column, column));
    Vector products;
    for (const Vector& other : columns) {
      products.push_back(dot(column, other));
    }
    curvature_.push_back(std::move(products));
  }
}

Vector LinearModel::step(double damping) const {
  if (scale_ == 0) return Vector(descent_.size(), 0.0);
  Columns damped = curvature_;
  for (std::size_t i = 0; i < damped.size(); ++i) {
    damped[i][i] += damping * scale_;
  }
  return solved(std::move(damped), descent_);
}

double LinearModel::promised(double damping) const {
  const Vector taken = step(damping);
  return dot(taken, descent_) + damping * scale_ * dot(taken, taken);
}

double own_part(const Columns& columns, std::size_t which, double least) {
  Columns directions;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Vector rest = without(columns[i], directions);
    const double length = norm(rest);
    if (i == which || length < least) continue;
    for (double& part : rest) {
      part /= length;
    }
    directions.push_back(std::move(rest));
  }
  return norm(without(columns[which], directions));
}

}  // namespace ringcast
