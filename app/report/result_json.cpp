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

template <typename Part>
Part part_of(const JsonObject& object) {
  Part part;
  JsonReader reader{object};
  fields(reader, part);
  return part;
}

template <typename Part>
Json schema_of() {
  Json json;
  JsonSchema schema{json};
  Part part{};
  fields(schema, part);
  return json;
}

Json rows_json(const Result& result) {
  Json rows = Json::array();
  for (const AllreduceRow& row : result.rows) {
    rows.push_back(json_of(row));
  }
  for (const TrainingRow& row : result.training) {
    rows.push_back(json_of(row));
  }
  return rows;
}

/// Where nothing is exchanged, no time may pass; else bandwidths and quotients must be finite.
void expect_plausible_time(const JsonObject& json, const AllreduceRow& row) {
  const bool nothing = row.cell.ranks == 1 || row.cell.size == 0_B;
  const double time = row.time.count();
  if ((time < 1e-15 || time > 1e15) && !(nothing && time == 0)) {
    json.refuse("time_s", nothing ? "0, or 1e-15 to 1e15" : "1e-15 to 1e15");
  }
}

AllreduceRow allreduce_row_of(const JsonObject& json) {
  auto row = part_of<AllreduceRow>(json);
  expect_plausible_time(json, row);
  return row;
}

bool is_training(const JsonObject& json) {
  const std::string kind = json.text("kind");
  if (kind != "training" && kind != "allreduce") {
    json.refuse("kind", "\"allreduce\" or \"training\"");
  }
  return kind == "training";
}

FailedCell failure_of(const JsonObject& json) {
  FailedCell failure;
  if (is_training(json)) {
    failure.training = part_of<TrainingCell>(json);
    failure.cell = failure.training->cell;
  } else {
    failure.cell = part_of<Cell>(json);
  }
  failure.error = json.text("error");
  return failure;
}

}  // namespace

Json json_of(const Provenance& provenance) {
  return json_object_of(provenance);
}

Json json_of(const Cell& cell) {
  return json_object_of(cell);
}

Json json_of(const TrainingCell& cell) {
  return json_object_of(cell);
}

Json json_of(const AllreduceRow& row) {
  return json_object_of(row);
}

Json json_of(const TrainingRow& row) {
  return json_object_of(row);
}

std::string to_json(const AllreduceRow& row) {
  return text_of(json_of(row));
}

std::string to_json(const TrainingRow& row) {
  return text_of(json_of(row));
}

std::string to_json(const Result& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(result.provenance);
  json["rows"] = rows_json(result);
  json["failures"] = Json::array();
  for (const FailedCell& failure : result.failures) {
    Json failed = failure.training ? json_of(*failure.training) : json_of(failure.cell);
    failed["error"] = failure.error;
    json["failures"].push_back(std::move(failed));
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Result& result) {
  return csv_of(rows_json(result));
}

void add_row(Result& result, const JsonObject& row) {
  if (is_training(row)) {
    result.training.push_back(training_row_of(row));
  } else {
    result.rows.push_back(allreduce_row_of(row));
  }
}

AllreduceRow row_from_json(const std::string& text) {
  return allreduce_row_of(JsonObject::parsed(text, "row"));
}

TrainingRow training_row_of(const JsonObject& json) {
  return part_of<TrainingRow>(json);
}

Result result_from_json(const std::string& text, const std::string& file) {
  const JsonObject top = JsonObject::parsed(text, file);
  if (top.count("schema_version") != Result::schema_version) {
    top.refuse("schema_version", fmt::format("{}", Result::schema_version));
  }
  Result result;
  result.provenance = part_of<Provenance>(top.object("provenance"));
  for (const JsonObject& row : top.objects("rows")) {
    add_row(result, row);
  }
  if (top.has("failures")) {
    for (const JsonObject& failure : top.objects("failures")) {
      result.failures.push_back(failure_of(failure));
    }
  }
  return result;
}

std::string result_schema() {
  Json failures = Json::array();
  for (Json failed : {schema_of<Cell>(), schema_of<TrainingCell>()}) {
    failed["properties"]["error"]["type"] = "string";
    failed["required"].push_back("error");
    failures.push_back(std::move(failed));
  }
  Json json;
  json["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  json["title"] = "What ringcast predict, measure and import write with --output FILE.json";
  json["type"] = "object";
  Json& keys = json["properties"];
  keys["schema_version"]["const"] = Result::schema_version;
  keys["provenance"] = schema_of<Provenance>();
  keys["rows"] = {{"type", "array"},
                  {"items", {{"oneOf", {schema_of<AllreduceRow>(), schema_of<TrainingRow>()}}}}};
  keys["failures"] = {{"type", "array"}, {"items", {{"oneOf", std::move(failures)}}}};
  json["required"] = {"schema_version", "provenance", "rows", "failures"};
  return text_of(json, 2) + "\n";
}

}  // namespace ringcast
