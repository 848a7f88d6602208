#pragma once

#include <cstddef>
#include <vector>

namespace ringcast {

using Vector = std::vector<double>;
/// A matrix of few columns, each with a value for every row.
using Columns = std::vector<Vector>;

[[nodiscard]] double dot(const Vector& a, const Vector& b);
[[nodiscard]] double norm(const Vector& a);

/// Residuals near a point as a linear function of a step away from it: residuals + columns x step.
/// Gauss-Newton minimises its sum of squares.
class LinearModel {
 public:
  LinearModel(const Columns& columns, const Vector& residuals);

  /// The step that minimises the sum of squares plus the step's own square times `damping`, a part
  /// (above zero) of the greatest curvature. No step for columns of zeros.
  [[nodiscard]] Vector step(double damping) const;
  /// By how much the sum of squares falls with step(damping).
  [[nodiscard]] double promised(double damping) const;

 private:
  Columns curvature_;
  Vector descent_;
  double scale_ = 0;
};

/// The length of what is left of column `which` if the best combination of the others is taken
/// away; of those, lengths below `least` count as none.
[[nodiscard]] double own_part(const Columns& columns, std::size_t which, double least);

}  // namespace ringcast
