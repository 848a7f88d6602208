#include <nlohmann/json.hpp>

#include "app/predict/validate.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const ValidatedRow& row, const std::string& set) {
  const PublishedRow& published = row.published;
  return {{"kind", "validation"},
          {"set", set},
          {"ranks", published.ranks},
          {"size_bytes", published.size.count()},
          {"algorithm", row.algorithm},
          {"transport", row.transport},
          {"measured_s", finite(published.measured.count(), "measured_s")},
          {"predicted_s", finite(row.predicted.count(), "predicted_s")},
          {"band_low_s", finite(row.band.low.count(), "band_low_s")},
          {"band_high_s", finite(row.band.high.count(), "band_high_s")},
          {"left_out_s", row.left_out ? Json(row.left_out->count()) : Json{}},
          {"relative_error", finite(relative_error(row), "relative_error")},
          {"fitted", published.fitted},
          {"judged", is_judged(published)}};
}

Json with_best(Json json, const std::optional<AlgorithmTime>& best) {
  json["best_algorithm"] = best ? Json(best->algorithm) : Json{};
  json["best_predicted_s"] =
      best ? Json(finite(best->predicted.count(), "best_predicted_s")) : Json{};
  return json;
}

Json rows_json(const Validation& validation) {
  Json rows = Json::array();
  for (const ValidatedSet& set : validation.sets) {
    for (const ValidatedRow& row : set.rows)
      rows.push_back(with_best(row_json(row, set.published.scenario.name), row.best));
  }
  return rows;
}

Json number_or_null(std::optional<double> number) {
  return number ? Json(*number) : Json{};
}

Json set_json(const ValidatedSet& set) {
  const PublishedSet& published = set.published;
  const ErrorSummary summary = summary_of({&set, 1});
  Json json = {{"set", published.scenario.name},
               {"source", published.source},
               {"note", published.note},
               {"file", published.scenario.file.string()},
               {"sha256", sha256_of(published.scenario.file)},
               {"cluster", published.scenario.cluster.name},
               {"rows", summary.rows},
               {"fitted", summary.fitted},
               {"judged", summary.judged},
               {"large_from_bytes", large_from.count()},
               {"mean_error_of_large", number_or_null(summary.mean_of_large)},
               {"median_error_of_small", number_or_null(summary.median_of_small)},
               {"worst_relative_error", nullptr}};
  if (summary.worst) {
    json["worst_relative_error"] = finite(relative_error(*summary.worst), "worst_relative_error");
  }
  return json;
}

}  // namespace

std::string to_json(const Validation& validation) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(validation.provenance);
  json["rows"] = rows_json(validation);
  json["sets"] = Json::array();
  for (const ValidatedSet& set : validation.sets)
    json["sets"].push_back(set_json(set));
  json["failures"] = Json::array();
  for (const FailedRow& failure : validation.failures) {
    const Cell& cell = failure.cell.cell;
    json["failures"].push_back({{"kind", "validation"},
                                {"set", failure.set},
                                {"ranks", cell.ranks},
                                {"size_bytes", cell.size.count()},
                                {"algorithm", cell.algorithm},
                                {"transport", cell.transport},
                                {"error", failure.cell.error}});
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Validation& validation) {
  return csv_of(rows_json(validation));
}

}  // namespace ringcast
