#include "app/calibrate/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// Cholesky's factor of a symmetric positive definite matrix: lower times its mirror image.
Columns lower_factor(Columns matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        matrix[i][j] -= matrix[i][k] * matrix[j][k];
      }
      if (j < i) matrix[i][j] /= matrix[j][j];
    }
    expect(matrix[i][i] > 0, "no positive definite matrix: {} in row {}", matrix[i][i], i);
    matrix[i][i] = std::sqrt(matrix[i][i]);
  }
  return matrix;
}

/// Solves matrix x = right for a symmetric positive definite matrix.
Vector solved(Columns matrix, Vector right) {
  const Columns lower = lower_factor(std::move(matrix));
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      right[i] -= lower[i][k] * right[k];
    }
    right[i] /= lower[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      right[i] -= lower[k][i] * right[k];
    }
    right[i] /= lower[i][i];
  }
  return right;
}

/// `column` without its parts along `directions`, which are orthogonal and of length 1.
Vector without(Vector column, const Columns& directions) {
  for (int pass = 0; pass < 2; ++pass) {  // the second removes what rounding has left
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
