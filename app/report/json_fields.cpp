#include "app/report/json_fields.hpp"

#include <nlohmann/json.hpp>

#include "app/report/json_text.hpp"

namespace ringcast {
namespace {

constexpr double shortest_s = 1e-15;
constexpr double longest_s = 1e15;

}  // namespace

void JsonWriter::put(const char* key, double value) {
  writes_null_ ? put_null(key) : void(object_[key] = finite(value, key));
}

void JsonWriter::put(const char* key, std::uint64_t value) {
  writes_null_ ? put_null(key) : void(object_[key] = value);
}

void JsonWriter::put(const char* key, bool value) {
  writes_null_ ? put_null(key) : void(object_[key] = value);
}

void JsonWriter::put(const char* key, std::string_view value) {
  writes_null_ ? put_null(key) : void(object_[key] = value);
}

void JsonWriter::put_null(const char* key) {
  object_[key] = nullptr;
}

void JsonWriter::begin_list(const char* key) {
  object_[key] = nlohmann::ordered_json::array();
}

nlohmann::ordered_json& JsonWriter::add_object(const char* key) {
  return object_[key].emplace_back(nlohmann::ordered_json::object());
}

void JsonReader::time_above_zero(const char* key, Seconds& value) {
  value = Seconds{object_.quantity(key)};
  if (value.count() < shortest_s || value.count() > longest_s) {
    object_.refuse(key, "1e-15 to 1e15");
  }
}

JsonSchema::JsonSchema(nlohmann::ordered_json& schema) : schema_{schema} {
  schema_["type"] = "object";
  schema_["properties"] = nlohmann::ordered_json::object();
  schema_["required"] = nlohmann::ordered_json::array();
  schema_["additionalProperties"] = false;
}

nlohmann::ordered_json& JsonSchema::add(const char* key, const char* type,
                                        std::optional<std::uint64_t> least) {
  nlohmann::ordered_json& property = schema_["properties"][key];
  property["type"] = type;
  if (allows_null_) {
    property["type"] = {type, "null"};
  }
  if (least) {
    property["minimum"] = *least;
  }
  if (requires_) {
    schema_["required"].push_back(key);
  }
  return property;
}

void JsonSchema::constant(const char* key, std::string_view text) {
  add(key, "string")["const"] = text;
}

void JsonSchema::time_above_zero(const char* key, Seconds /*value*/) {
  nlohmann::ordered_json& property = add(key, "number");
  property["minimum"] = shortest_s;
  property["maximum"] = longest_s;
}

void JsonSchema::add_choice(const char* key, const std::vector<std::string_view>& texts) {
  add(key, "string")["enum"] = texts;
}

nlohmann::ordered_json& JsonSchema::add_list(const char* key) {
  return add(key, "array")["items"];
}

}  // namespace ringcast
