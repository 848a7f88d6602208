#include "app/predict/validate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/ranges.h>

#include "app/common/data_file.hpp"
#include "app/common/median.hpp"
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

}  // namespace

double relative_error(const ValidatedRow& row) {
  return (row.predicted - row.published.measured) / row.published.measured;
}

ErrorSummary summary_of(std::span<const ValidatedSet> sets, bool (*counts)(const PublishedRow&)) {
  ErrorSummary summary;
  std::vector<double> large;
  std::vector<double> small;
  for (const ValidatedSet& set : sets) {
    for (const ValidatedRow& row : set.rows) {
      ++summary.rows;
      if (row.published.fitted) ++summary.fitted;
      if (!counts(row.published)) continue;
      ++summary.judged;
      const double error = std::abs(relative_error(row));
      const bool is_large = row.published.size >= large_from;
      const bool first_large = is_large && large.empty();
      (is_large ? large : small).push_back(error);
      if (first_large || (is_large == !large.empty() &&
                          (!summary.worst || error > std::abs(relative_error(*summary.worst))))) {
        summary.worst = row;
        summary.worst_set = set.published.scenario.name;
      }
    }
  }
  if (!large.empty()) {
    summary.mean_of_large =
        std::reduce(large.begin(), large.end()) / static_cast<double>(large.size());
  }
  if (!small.empty()) summary.median_of_small = median(std::move(small));
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
  std::vector<Scenario> scenarios;
  for (const PublishedSet& set : sets) {
    for (const PublishedRow& row : set.rows)
      scenarios.push_back(scenario_of(set, row));
  }
  Validation validation{provenance_of_all(sets), {}, {}};
  const std::vector<Prediction> predictions = predict_each(scenarios, options);
  std::size_t next = 0;
  for (const PublishedSet& set : sets) {
    ValidatedSet validated{set, {}};
    for (const PublishedRow& row : set.rows) {
      const Prediction& prediction = predictions[next++];
      if (const auto* failed = std::get_if<FailedCell>(&prediction)) {
        validation.failures.push_back({set.scenario.name, *failed});
      } else {
        const auto& predicted = std::get<Row>(prediction);
        validated.rows.push_back(
            {row, predicted.cell.transport, algorithm_text(predicted.cell), predicted.time});
      }
    }
    validation.sets.push_back(std::move(validated));
  }
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
