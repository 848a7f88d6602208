#pragma once

#include <utility>
#include <vector>

namespace ringcast::detail {

/// A linear programme that grows by columns: maximize the sum of some variables, none below zero,
/// such that each row of theirs stays within its limit. Begins with all at zero (Dantzig's simplex
/// method, with the inverse of the basis).
class Simplex {
 public:
  /// `limits`: positive, about 1 at most.
  explicit Simplex(const std::vector<double>& limits);

  /// Raises a new variable, whose rows cost less than 1, as far as others can give way, and makes
  /// the sum optimal for the variables in use. `column`: what a unit of it takes of each row. False
  /// if no row limits it.
  bool enter(int variable, const std::vector<double>& column);
  /// For each row what a unit more of its limit would add to the sum. A new variable raises the sum
  /// if the rows that a unit of it takes cost less than 1.
  [[nodiscard]] std::vector<double> prices() const;
  [[nodiscard]] double sum() const;
  /// The variables above zero.
  [[nodiscard]] std::vector<std::pair<int, double>> solution() const;

 private:
  bool pivot(int variable, double gain, const std::vector<double>& column);

  std::size_t rows_;
  std::vector<int> variables_;   // in the basis, by row; -1 - row: what is left of a row
  std::vector<double> values_;   // theirs
  std::vector<double> gains_;    // what a unit of them adds to the sum
  std::vector<double> inverse_;  // of the basis, row by row
};

}  // namespace ringcast::detail
