// Results as JSON and CSV: whole files, and rows as messages of child processes.
#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "app/common/mapped.hpp"
#include "app/report/result_fields.hpp"
#include "app/report/unit_json.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Json rows_json(const Result& result) {
  return mapped(result.rows, [](const Row& row) { return json_of(row); });
}

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
      fields(JsonWriter{object_[key].emplace_back()}, part);
    }
  }
  template <typename Write>
  void group(const char* /*first*/, bool is_known, const Write& write) {
    is_known_ = is_known;
    write();
    is_known_ = true;
  }
  void input_value(const InputNumber& number) {
    field(std::ranges::find(value_keys, number.unit, &ValueKey::unit)->key, number.value);
  }

 private:
  Json& object_;
  bool is_known_ = true;  // the group's values are; else they are null
};

}  // namespace

void add_band(Json& object, const std::string& key, const std::vector<Band>& band) {
  object[key + "_low_s"] = band.empty() ? Json{} : Json(band.front().low);
  object[key + "_high_s"] = band.empty() ? Json{} : Json(band.front().high);
}

Json json_of(const Provenance& provenance) {
  Json json;
  fields(JsonWriter{json}, provenance);
  return json;
}

Json json_of(const Cell& cell) {
  Json json;
  fields(JsonWriter{json}, cell);
  return json;
}

Json json_of(const Row& row) {
  Json json = json_of(row.cell);
  outcome_fields(JsonWriter{json}, row);
  choice_fields(JsonWriter{json}, row.cell);
  return json;
}

std::string key_of(const Cell& cell) {
  Json json = json_of(cell);
  choice_fields(JsonWriter{json}, cell);
  return text_of(json);
}

std::string to_json(const Row& row) {
  return text_of(json_of(row));
}

Json json_of_outcome(const Row& row) {
  Json json;
  outcome_fields(JsonWriter{json}, row);
  return json;
}

std::string to_json(const Result& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(result.provenance);
  json["rows"] = rows_json(result);
  json["failures"] = mapped(result.failures, [](const FailedCell& failure) {
    Json cell = json_of(failure.cell);
    cell["error"] = failure.error;
    return cell;
  });
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Result& result) {
  Json rows = rows_json(result);
  // Columns instead of the list; rows of one rank have no band.
  if (std::ranges::any_of(result.rows, [](const Row& row) { return !row.band.empty(); })) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      add_band(rows[i], "band", result.rows[i].band);
  }
  return csv_of(rows);
}

}  // namespace ringcast
