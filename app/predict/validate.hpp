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

/// The prediction of an algorithm, with the protocol that the tuner takes for it.
struct AlgorithmTime {
  std::string algorithm;
  Seconds predicted{0};
};

/// A published measurement beside its prediction.
struct ValidatedRow {
  PublishedRow published;
  std::string transport;  // the name of the one that it was predicted with
  std::string algorithm;  // the same of the algorithm, with the protocol that a tuner chose
  Seconds predicted{0};
  Band band = {};
  bool across_nodes = false;
  /// With the constants that other machines give, where that differs.
  std::optional<Seconds> left_out = std::nullopt;
  /// Where the tuner chose and add_best() compared: the fastest prediction of its choices.
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

/// Bandwidth decides from this size on, latencies below.
inline constexpr Bytes large_from = 4_MiB;

/// How far off the judged rows of some sets are, or others that `counts` chooses. Errors are
/// relative and absolute; nothing where there is no such row.
struct ErrorSummary {
  std::size_t rows = 0;
  std::size_t judged = 0;
  std::size_t fitted = 0;
  std::optional<double> mean_of_large;
  std::optional<double> median_of_small;
  /// The same errors with the constants that other machines give.
  std::optional<double> left_out_of_large;
  std::optional<double> left_out_of_small;
  std::size_t in_band = 0;  // of the judged rows
  /// The row that is farthest off, of the large ones if there are any, and the name of its set.
  std::optional<ValidatedRow> worst;
  std::string worst_set;
};
[[nodiscard]] ErrorSummary summary_of(std::span<const ValidatedSet> sets,
                                      bool (*counts)(const PublishedRow&) = is_judged);

/// All sets in the files, in their order. Without files, those of
/// find_data_file("scenarios/published"), by name. Throws ScenarioError, as for two sets of one
/// name.
[[nodiscard]] std::vector<PublishedSet> read_published_sets(
    std::vector<std::filesystem::path> files);

/// Predicts every row of every set, each in a child process, as predict() does its cells. Of the
/// options it takes all but check and trace. Throws what predict() throws.
[[nodiscard]] Validation validate(const std::vector<PublishedSet>& sets,
                                  const PredictOptions& options);
/// The same, and each row once more with constants that its set did not contribute to.
[[nodiscard]] Validation validate_leaving_one_out(const std::vector<PublishedSet>& sets,
                                                  const PredictOptions& options);

/// Throws OutsideTolerance, naming the worst judged row, if that is off by more than `tolerance`
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
