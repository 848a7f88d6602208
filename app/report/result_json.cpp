// Results as JSON and CSV, and from JSON: whole files, and what a child process hands over.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/result_fields.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

template <typename Part>
Json json_object_of(const Part& part) {
  Json json = Json::object();
  JsonWriter writer{json};
  fields(writer, part);
  return json;
}

Json with_outcome(Json json, const Row& row) {
  JsonWriter writer{json};
  outcome_fields(writer, row);
  return json;
}

Json rows_json(const Result& result) {
  Json rows = Json::array();
  for (const Row& row : result.rows) {
    rows.push_back(json_of(row));
  }
  return rows;
}

/// Rates and quotients of times must be finite. Where nothing is exchanged, no time may pass.
void expect_plausible(Seconds time, const char* key, const JsonReader& json, bool may_be_0) {
  const bool plausible = time.count() >= 1e-15 && time.count() <= 1e15;
  if (!plausible && !(may_be_0 && time == Seconds{0})) {
    json.refuse(key, may_be_0 ? "0, or 1e-15 to 1e15" : "1e-15 to 1e15");
  }
}

void expect_plausible_times(const Row& row, const JsonReader& json) {
  if (row.iteration) {
    expect_plausible(row.time, "iteration_s", json, false);
    expect_plausible(row.time_min, "iteration_low_s", json, false);
    expect_plausible(row.time_max, "iteration_high_s", json, false);
  } else {
    expect_plausible(row.time, "time_s", json, row.cell.ranks == 1 || row.cell.size == 0_B);
  }
}

Cell cell_of(const JsonReader& json) {
  const std::string kind = json.text("kind");
  if (kind != "training" && kind != "allreduce") {
    json.refuse("kind", "\"allreduce\" or \"training\"");
  }
  Cell cell;
  if (kind == "training") {
    cell.training.emplace();
  }
  fields(json, cell);
  return cell;
}

Row row_of(const Cell& cell, const JsonReader& json) {
  Row row;
  row.cell = cell;
  if (cell.training) {
    row.iteration.emplace();
  }
  outcome_fields(json, row);
  expect_plausible_times(row, json);
  return row;
}

Provenance provenance_of(const JsonReader& json) {
  Provenance provenance;
  fields(json, provenance);
  return provenance;
}

}  // namespace

Json json_of(const Provenance& provenance) {
  return json_object_of(provenance);
}

Json json_of(const Cell& cell) {
  return json_object_of(cell);
}

Json json_of(const Row& row) {
  return with_outcome(json_of(row.cell), row);
}

std::string key_of(const Cell& cell) {
  return text_of(json_of(cell));
}

std::string to_json(const Row& row) {
  return text_of(json_of(row));
}

std::string outcome_to_json(const Row& row) {
  return text_of(with_outcome(Json::object(), row));
}

std::string checked_outcome(const Row& row) {
  std::string text = outcome_to_json(row);
  static_cast<void>(row_of(row.cell, JsonReader::parsed(text, "predicted")));
  return text;
}

std::string to_json(const Result& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(result.provenance);
  json["rows"] = rows_json(result);
  json["failures"] = Json::array();
  for (const FailedCell& failure : result.failures) {
    json["failures"].push_back(json_of(failure.cell));
    json["failures"].back()["error"] = failure.error;
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Result& result) {
  return csv_of(rows_json(result));
}

Row row_from_json(const std::string& text) {
  const JsonReader json = JsonReader::parsed(text, "row");
  return row_of(cell_of(json), json);
}

Row row_from_outcome(const Cell& cell, const std::string& text) {
  return row_of(cell, JsonReader::parsed(text, "row"));
}

Result result_from_json(const std::string& text, const std::string& file) {
  const JsonReader top = JsonReader::parsed(text, file);
  if (top.count("schema_version") != Result::schema_version) {
    top.refuse("schema_version", fmt::format("{}", Result::schema_version));
  }
  Result result;
  result.provenance = provenance_of(top.object("provenance"));
  for (const JsonReader& row : top.objects("rows")) {
    result.rows.push_back(row_of(cell_of(row), row));
  }
  if (top.has("failures")) {
    for (const JsonReader& failure : top.objects("failures")) {
      result.failures.push_back({cell_of(failure), failure.text("error")});
    }
  }
  return result;
}

}  // namespace ringcast
