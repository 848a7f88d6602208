// Results as JSON and CSV: whole files, and rows as messages of child processes.
#include <cstdint>

#include <nlohmann/json.hpp>

#include "app/report/result_fields.hpp"
#include "app/report/unit_json.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// Adds keys to an object (result_fields.hpp).
class JsonWriter {
 public:
  explicit JsonWriter(Json& object) : object_{object} {}

  void constant(const char* key, std::string_view text) { field(key, text); }
  template <typename T>
  void field(const char* key, const T& value, std::uint64_t /*least*/ = 0) {
    object_[key] = is_known_ ? Json(value) : Json{};
  }
  void text_or_null(const char* key, const std::string& text) {
    object_[key] = text.empty() ? Json{} : Json(text);
  }
  void text_if_any(const char* key, const std::string& text) { text_or_null(key, text); }
  void signed_number(const char* key, double value) { field(key, value); }
  template <typename T>
  void one_of(const char* key, const T& value, Values<T> /*values*/, NameOf<T> name) {
    field(key, name(value));
  }
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  template <typename T>
  void objects(const char* key, const std::vector<T>& parts, List list = List::always) {
    if (list == List::if_any && parts.empty()) return;
    object_[key] = Json::array();
    for (const T& part : parts) {
      JsonWriter item{object_[key].emplace_back(Json::object())};
      fields(item, part);
    }
  }
  template <typename Write>
  void group(const char* /*first*/, bool is_known, const Write& write) {
    is_known_ = is_known;
    write();
    is_known_ = true;
  }
  template <typename T, typename Write>
  void key_for(T choice, std::span<const T> /*choices*/, const char* (*key)(T),
               const Write& write) {
    write(key(choice));
  }

 private:
  Json& object_;
  bool is_known_ = true;  // the group's values are; else they are null
};

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

Json with_choices(Json json, const Cell& cell) {
  JsonWriter writer{json};
  choice_fields(writer, cell);
  return json;
}

Json rows_json(const Result& result) {
  Json rows = Json::array();
  for (const Row& row : result.rows) {
    rows.push_back(json_of(row));
  }
  return rows;
}

}  // namespace

Json json_of(const Provenance& provenance) {
  return json_object_of(provenance);
}

Json json_of(const Cell& cell) {
  return json_object_of(cell);
}

Json json_of(const Row& row) {
  return with_choices(with_outcome(json_of(row.cell), row), row.cell);
}

std::string key_of(const Cell& cell) {
  return text_of(with_choices(json_of(cell), cell));
}

std::string to_json(const Row& row) {
  return text_of(json_of(row));
}

std::string outcome_to_json(const Row& row) {
  return text_of(with_outcome(Json::object(), row));
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

}  // namespace ringcast
