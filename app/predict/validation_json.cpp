#include <nlohmann/json.hpp>

#include "app/common/mapped.hpp"
#include "app/predict/validate.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "app/report/unit_json.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const ValidatedRow& row, const std::string& set) {
  const PublishedRow& published = row.published;
  return {{"kind", "validation"},
          {"set", set},
          {"ranks", published.ranks},
          {"size_bytes", published.size},
          {"algorithm", row.algorithm},
          {"transport", row.transport},
          {"measured_s", published.measured},
          {"predicted_s", row.predicted},
          {"band_low_s", row.band.low},
          {"band_high_s", row.band.high},
          {"left_out_s", row.left_out},
          {"relative_error", relative_error(row)},
          {"fitted", published.fitted},
          {"judged", is_judged(published)},
          {"best_algorithm", row.best ? Json(row.best->algorithm) : Json{}},
          {"best_predicted_s", row.best ? Json(row.best->predicted) : Json{}}};
}

Json rows_json(const Validation& validation) {
  Json rows = Json::array();
  for (const ValidatedSet& set : validation.sets) {
    for (const ValidatedRow& row : set.rows)
      rows.push_back(row_json(row, set.published.scenario.name));
  }
  return rows;
}

Json set_json(const ValidatedSet& set) {
  const PublishedSet& published = set.published;
  const ErrorSummary summary = summary_of({&set, 1});
  return {{"set", published.scenario.name},
          {"source", published.source},
          {"note", published.note},
          {"file", published.scenario.file.string()},
          {"sha256", sha256_of(published.scenario.file)},
          {"cluster", published.scenario.cluster.name},
          {"rows", summary.rows},
          {"fitted", summary.fitted},
          {"judged", summary.judged},
          {"large_from_bytes", large_from},
          {"mean_error_of_large", summary.mean_of_large},
          {"median_error_of_small", summary.median_of_small},
          {"worst_relative_error", summary.worst ? Json(relative_error(*summary.worst)) : Json{}}};
}

Json failure_json(const FailedRow& failure) {
  const Cell& cell = failure.cell.cell;
  return {{"kind", "validation"},        {"set", failure.set},
          {"ranks", cell.ranks},         {"size_bytes", cell.size},
          {"algorithm", cell.algorithm}, {"transport", cell.transport},
          {"error", failure.cell.error}};
}

}  // namespace

std::string to_json(const Validation& validation) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(validation.provenance);
  json["rows"] = rows_json(validation);
  json["sets"] = mapped(validation.sets, set_json);
  json["failures"] = mapped(validation.failures, failure_json);
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Validation& validation) {
  return csv_of(rows_json(validation));
}

}  // namespace ringcast
