#include "app/predict/validate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include <fmt/ranges.h>

#include "app/common/data_file.hpp"
#include "app/common/median.hpp"
#include "app/config/scenario/input_numbers.hpp"
#include "app/predict/bands.hpp"
#include "app/predict/leave_one_out.hpp"
#include "app/predict/predict_each.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of_the_catalogue() {
  const fs::path folder = find_data_file("scenarios/published");
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry{folder, error}, end; entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (files.empty()) {
    throw ScenarioError{fmt::format(
        "{}: {} (expected published sets there; run in the repository's root, or name files)",
        folder.string(), error ? "no such folder" : "no .yaml file")};
  }
  std::ranges::sort(files);
  return files;
}

Provenance provenance_of_all(const std::vector<PublishedSet>& sets) {
  Provenance provenance = provenance_of(sets.front().scenario, "simgrid", true);
  if (sets.size() > 1) {
    std::vector<fs::path> files;
    std::vector<std::string> names;
    std::set<std::string> clusters;
    for (const PublishedSet& set : sets) {
      files.push_back(set.scenario.file);
      names.push_back(set.scenario.file.string());
      clusters.insert(set.scenario.cluster.name);
    }
    provenance.scenario = "published measurements";
    provenance.scenario_file = fmt::format("{}", fmt::join(names, ", "));
    provenance.scenario_sha256 = sha256_of(files);
    provenance.cluster = clusters.size() == 1 ? *clusters.begin() : "several";
  }
  return provenance;
}

bool is_large(const ValidatedRow& row) {
  return row.published.size >= large_from;
}

/// Absolute relative errors of rows.
struct Errors {
  std::vector<double> large;
  std::vector<double> small;

  void add(const ValidatedRow& row, double error) {
    (is_large(row) ? large : small).push_back(error);
  }
  [[nodiscard]] std::optional<double> mean_of_large() const {
    if (large.empty()) return std::nullopt;
    return std::reduce(large.begin(), large.end()) / static_cast<double>(large.size());
  }
  [[nodiscard]] std::optional<double> median_of_small() const {
    return small.empty() ? std::nullopt : std::optional{median(small)};
  }
};

bool is_in_band(const ValidatedRow& row) {
  return row.band.low <= row.published.measured && row.published.measured <= row.band.high;
}

double left_out_error(const ValidatedRow& row) {
  const Seconds measured = row.published.measured;
  return (row.left_out.value_or(row.predicted) - measured) / measured;
}

/// Whether a row has a larger error than the worst so far; any large row is worse than a small one.
bool is_worse(const ValidatedRow& row, const std::optional<ValidatedRow>& worst) {
  if (!worst || is_large(row) != is_large(*worst)) return !worst || is_large(row);
  return std::abs(relative_error(row)) > std::abs(relative_error(*worst));
}

/// One scenario for each row of the sets, in their order.
std::vector<Scenario> scenarios_of(const std::vector<PublishedSet>& sets) {
  std::vector<Scenario> scenarios;
  for (const PublishedSet& set : sets) {
    for (const PublishedRow& row : set.rows)
      scenarios.push_back(scenario_of(set, row));
  }
  return scenarios;
}

bool crosses_nodes(const Topology& topology, int ranks) {
  const auto node_of = [&](int rank) {
    const auto vertex = static_cast<std::size_t>(topology.vertex_of(Rank{rank}));
    return topology.cluster().vertices[vertex].node;
  };
  int rank = 1;
  while (rank < ranks && node_of(rank) == node_of(0))
    ++rank;
  return rank < ranks;
}

/// The rows that can be predicted, with their times. `topologies` and `predictions` begin with
/// those of the sets' rows.
Validation validation_of(const std::vector<PublishedSet>& sets, const Topologies& topologies,
                         std::span<const Prediction> predictions) {
  Validation validation{provenance_of_all(sets), {}, {}};
  std::size_t next = 0;
  for (const PublishedSet& set : sets) {
    ValidatedSet validated{set, {}};
    for (const PublishedRow& row : set.rows) {
      const std::size_t place = next++;
      if (const auto* failed = std::get_if<FailedCell>(&predictions[place])) {
        validation.failures.push_back({set.scenario.name, *failed});
        continue;
      }
      const auto& predicted = std::get<Row>(predictions[place]);
      const Topology& topology = *topologies[place];
      validated.rows.push_back({row, predicted.cell.transport, algorithm_text(predicted.cell),
                                predicted.time, band_of(predicted, topology),
                                crosses_nodes(topology, row.ranks)});
    }
    validation.sets.push_back(std::move(validated));
  }
  return validation;
}

bool same_numbers(const Scenario& a, const Scenario& b) {
  return std::ranges::equal(input_numbers(a), input_numbers(b), {}, &InputNumber::value,
                            &InputNumber::value);
}

/// Appends each row's scenario without the samples of its set, if that differs. Returns the place
/// of each row's.
std::vector<std::optional<std::size_t>> add_left_out(const std::vector<PublishedSet>& sets,
                                                     std::vector<Scenario>& scenarios) {
  std::vector<std::optional<std::size_t>> left_out;
  for (const PublishedSet& set : sets) {
    const std::string name = sample_name(set);
    for (std::size_t row = 0; row < set.rows.size(); ++row) {
      const Scenario& stored = scenarios[left_out.size()];
      Scenario changed = without_samples_of(name, stored);
      const bool same = changed.transport.left_out.empty() && same_numbers(changed, stored);
      left_out.push_back(same ? std::nullopt : std::optional{scenarios.size()});
      if (!same) scenarios.push_back(std::move(changed));
    }
  }
  return left_out;
}

}  // namespace

double relative_error(const ValidatedRow& row) {
  return (row.predicted - row.published.measured) / row.published.measured;
}

ErrorSummary summary_of(std::span<const ValidatedSet> sets, bool (*counts)(const PublishedRow&)) {
  ErrorSummary summary;
  Errors errors;
  Errors left_out;
  for (const ValidatedSet& set : sets) {
    for (const ValidatedRow& row : set.rows) {
      ++summary.rows;
      if (row.published.fitted) ++summary.fitted;
      if (!counts(row.published)) continue;
      ++summary.judged;
      if (is_in_band(row)) ++summary.in_band;
      errors.add(row, std::abs(relative_error(row)));
      left_out.add(row, std::abs(left_out_error(row)));
      if (is_worse(row, summary.worst)) {
        summary.worst = row;
        summary.worst_set = set.published.scenario.name;
      }
    }
  }
  summary.mean_of_large = errors.mean_of_large();
  summary.median_of_small = errors.median_of_small();
  summary.left_out_of_large = left_out.mean_of_large();
  summary.left_out_of_small = left_out.median_of_small();
  return summary;
}

std::vector<PublishedSet> read_published_sets(std::vector<fs::path> files) {
  if (files.empty()) files = files_of_the_catalogue();
  std::vector<PublishedSet> sets;
  for (const fs::path& file : files) {
    PublishedSet set = read_published_set(file);
    for (const PublishedSet& other : sets) {
      if (other.scenario.name == set.scenario.name) {
        throw ScenarioError{fmt::format("{}: name: \"{}\" is that of {} too (expected another)",
                                        file.string(), set.scenario.name,
                                        other.scenario.file.string())};
      }
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

Validation validate(const std::vector<PublishedSet>& sets, const PredictOptions& options) {
  const std::vector<Scenario> scenarios = scenarios_of(sets);
  const Topologies topologies = topologies_of(scenarios);
  return validation_of(sets, topologies, predict_each(scenarios, topologies, options));
}

Validation validate_leaving_one_out(const std::vector<PublishedSet>& sets,
                                    const PredictOptions& options) {
  std::vector<Scenario> scenarios = scenarios_of(sets);
  const std::vector<std::optional<std::size_t>> left_out = add_left_out(sets, scenarios);
  const Topologies topologies = topologies_of(scenarios);
  const std::vector<Prediction> predictions = predict_each(scenarios, topologies, options);
  Validation validation = validation_of(sets, topologies, predictions);
  validation.leaves_one_out = true;
  std::size_t place = 0;
  for (ValidatedSet& set : validation.sets) {
    auto validated = set.rows.begin();
    for (std::size_t row = 0; row < set.published.rows.size(); ++row, ++place) {
      if (std::holds_alternative<FailedCell>(predictions[place])) continue;
      const Row* const other =
          left_out[place] ? std::get_if<Row>(&predictions[*left_out[place]]) : nullptr;
      if (other != nullptr) validated->left_out = other->time;
      ++validated;
    }
  }
  expect(place == left_out.size(), "{} of {} rows", place, left_out.size());
  return validation;
}

void expect_within(double tolerance, const Validation& validation) {
  const ErrorSummary summary = summary_of(validation.sets);
  if (!summary.worst) {
    throw ScenarioError{"--tolerance: no row is judged (expected one or more)"};
  }
  const double error = relative_error(*summary.worst);
  if (std::abs(error) > tolerance) {
    const PublishedRow& row = summary.worst->published;
    throw OutsideTolerance{
        fmt::format("{}: {}: predicted {}, measured {}: {:+.1f} % (expected within {:.4g} %)",
                    summary.worst_set, to_text(row), to_text(summary.worst->predicted),
                    to_text(row.measured), 100 * error, 100 * tolerance)};
  }
}

}  // namespace ringcast
