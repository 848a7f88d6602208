#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/result.hpp"

namespace ringcast {

/// One cell that both sides have.
struct ComparedCell {
  Cell cell;                       // with the parameters that either side states
  std::string measured_algorithm;  // if both sides chose, and differently; else empty
  Seconds predicted{0};
  Seconds measured{0};
  std::vector<Band> predicted_band = {};
  std::vector<Band> measured_band = {};  // if that side is a prediction, too

  /// predicted/measured - 1: above 0 where the prediction is too slow.
  [[nodiscard]] double error() const { return predicted / measured - 1; }
  [[nodiscard]] bool has_two_algorithms() const { return !measured_algorithm.empty(); }
};

/// Names cells in messages: to_text(Cell), and parameters that it leaves out if the rows differ in
/// them.
struct CellNaming {
  bool with_type = false;
  bool with_operation = false;
  bool with_channels = false;

  /// `8 ranks, 1 MiB, bfloat16, max`
  [[nodiscard]] std::string name_of(const Cell& cell) const;
};

/// A cell whose ranks were on different numbers of nodes.
struct DifferentNodes {
  int ranks = 0;
  int predicted = 0;
  int measured = 0;
};

struct Comparison {
  Provenance predicted;
  Provenance measured;
  std::string predicted_file;
  std::string measured_file;
  std::vector<ComparedCell> cells;  // in the order of the prediction; at least one
  CellNaming naming;
  std::optional<DifferentNodes> different_nodes = {};  // of the first such cell
  /// The cells without a partner, as messages name them.
  std::vector<std::string> only_predicted;
  std::vector<std::string> only_measured;

  [[nodiscard]] double mean_absolute_error() const;
  [[nodiscard]] const ComparedCell& worst() const;
  /// Whether both are predictions, or both measurements; texts then call them the first and the
  /// second.
  [[nodiscard]] bool is_of_one_kind() const { return predicted.simulated == measured.simulated; }
};

/// A result and its name in messages: the file that the user named.
struct NamedResult {
  std::string name;
  Result result;
};

/// Pairs rows of the two sides.
///
/// - The rows of a pair have the same ranks, size, data type and operation. They have the same
///   algorithm, ring order and channels if both sides state these and not both chose them. If
///   several rows agree with one, its partner is the row whose algorithm was chosen, or given, too.
/// - Cells with a time of zero on a side have no error. Those of one rank or without data count as
///   on neither side alone.
/// - Rows of training have the same model and training parameters; their iterations are compared.
/// - Throws ScenarioError if a row matches several rows of the other side, with the parameters in
///   which those differ; if there is no pair; and if the sides are swapped.
[[nodiscard]] Comparison compare(const NamedResult& predicted, const NamedResult& measured);

/// A table with a line per cell, then the mean absolute error and the worst row.
[[nodiscard]] std::string to_table(const Comparison& comparison);
/// A line per cell, keys of the JSON rows as columns.
[[nodiscard]] std::string to_csv(const Comparison& comparison);
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// `4 ranks, 1 MiB: the prediction is 12.0 % too slow`, or `... the first is 12.0 % slower than the
/// second`
[[nodiscard]] std::string worst_error(const Comparison& comparison);

}  // namespace ringcast
