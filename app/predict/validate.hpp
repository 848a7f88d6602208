#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config/scenario/published_set.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The prediction of an algorithm with the protocol that the tuner chooses for it.
struct AlgorithmTime {
  std::string algorithm;
  Seconds predicted{0};
};

/// A published measurement and its prediction.
struct ValidatedRow {
  PublishedRow published;
  std::string transport;  // the name of the prediction's transport
  std::string algorithm;  // the prediction's algorithm, with the protocol that a tuner chose
  Seconds predicted{0};
  Band band = {};
  bool across_nodes = false;
  /// The prediction with constants from other machines only, if that differs.
  std::optional<Seconds> left_out = std::nullopt;
  /// If the tuner chose and add_best() compared: the fastest prediction among its algorithms.
  std::optional<AlgorithmTime> best = {};
  [[nodiscard]] bool is_compared() const { return best.has_value(); }
};

/// (predicted - measured) / measured.
[[nodiscard]] double relative_error(const ValidatedRow& row);

/// A published set with its predictions. Rows whose prediction failed are not in it.
struct ValidatedSet {
  PublishedSet published;
  std::vector<ValidatedRow> rows;
};

struct FailedRow {
  std::string set;
  FailedCell cell;
};

struct Validation {
  Provenance provenance;
  std::vector<ValidatedSet> sets;
  std::vector<FailedRow> failures;
  bool leaves_one_out = false;
};

/// From this size on bandwidths dominate, below it latencies.
inline constexpr Bytes large_from = 4_MiB;

/// The errors of the judged rows of some sets, or of the rows that `counts` selects: absolute
/// values of relative errors; nothing if there is no such row.
struct ErrorSummary {
  std::size_t rows = 0;
  std::size_t judged = 0;
  std::size_t fitted = 0;
  std::optional<double> mean_of_large;
  std::optional<double> median_of_small;
  /// The same errors with constants from other machines only.
  std::optional<double> left_out_of_large;
  std::optional<double> left_out_of_small;
  std::size_t in_band = 0;  // of the judged rows
  /// The row with the largest error, among the large ones if there are any, and its set's name.
  std::optional<ValidatedRow> worst;
  std::string worst_set;
};
[[nodiscard]] ErrorSummary summary_of(std::span<const ValidatedSet> sets,
                                      bool (*counts)(const PublishedRow&) = is_judged);

/// All sets in the files, in their order. Without files, those of
/// find_data_file("scenarios/published"), by name. Throws ScenarioError, also for two sets of one
/// name.
[[nodiscard]] std::vector<PublishedSet> read_published_sets(
    std::vector<std::filesystem::path> files);

/// Predicts every row of every set, in child processes, as predict() does its cells. The
/// options check and trace have no effect. Throws what predict() throws.
[[nodiscard]] Validation validate(const std::vector<PublishedSet>& sets,
                                  const PredictOptions& options);
/// The same, and each row once more with constants from other machines only.
[[nodiscard]] Validation validate_leaving_one_out(const std::vector<PublishedSet>& sets,
                                                  const PredictOptions& options);

/// Throws OutsideTolerance with the worst judged row if its relative error exceeds `tolerance`
/// (0.15 for 15 %), and ScenarioError if no row is judged.
void expect_within(double tolerance, const Validation& validation);

/// JSON with rows of kind "validation", a summary of each set, and the failures.
[[nodiscard]] std::string to_json(const Validation& validation);
/// One line per row, keys of the JSON rows as columns.
[[nodiscard]] std::string to_csv(const Validation& validation);
/// For people: a table of rows for each set, then the summary.
[[nodiscard]] std::string to_table(const Validation& validation);
/// One line per set, one for the rows in a node, one for those across nodes, one for all.
[[nodiscard]] std::string summary_table(const Validation& validation);

}  // namespace ringcast
