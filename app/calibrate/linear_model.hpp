#pragma once

#include <cstddef>
#include <vector>

namespace ringcast {

using Vector = std::vector<double>;
/// A matrix by columns.
using Columns = std::vector<Vector>;

[[nodiscard]] double dot(const Vector& a, const Vector& b);
[[nodiscard]] double norm(const Vector& a);

/// A linear model of the residuals near a point: residuals + columns x step.
/// Gauss-Newton minimises its sum of squares.
class LinearModel {
 public:
  LinearModel(const Columns& columns, const Vector& residuals);

  /// The step that minimises the sum of squares plus damping x greatest curvature x |step|^2.
  /// `damping` is above zero. The step is zero for columns of zeros.
  [[nodiscard]] Vector step(double damping) const;
  /// The decrease of the sum of squares with step(damping).
  [[nodiscard]] double promised(double damping) const;

 private:
  Columns curvature_;
  Vector descent_;
  double scale_ = 0;
};

/// The norm of column `which` after projecting out the other columns. Of these, components with a
/// norm below `least` are ignored.
[[nodiscard]] double own_part(const Columns& columns, std::size_t which, double least);

}  // namespace ringcast
