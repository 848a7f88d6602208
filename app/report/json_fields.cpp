#include "app/report/json_fields.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/config/yaml/input_node.hpp"
#include "app/report/json_text.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
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

JsonReader::JsonReader(std::shared_ptr<const Json> value, std::string where)
    : value_{std::move(value)}, where_{std::move(where)} {
  if (!value_->is_object()) {
    fail("not an object", "key: value pairs");
  }
}

JsonReader JsonReader::parsed(const std::string& text, const std::string& file) {
  try {
    return {std::make_shared<const Json>(Json::parse(text)), file};
  } catch (const Json::exception& error) {
    // A number beyond the range of a double is no parse_error, and has no position.
    const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error);
    throw ScenarioError{
        fmt::format("{}: not JSON{} (expected a file that ringcast wrote with --output)", file,
                    syntax != nullptr ? fmt::format(" at byte {}", syntax->byte) : "")};
  }
}

const JsonReader::Json& JsonReader::find(const char* key, std::string_view expected) const {
  const auto found = value_->find(key);
  if (found == value_->end()) {
    fail(fmt::format("{}: missing", key), expected);
  }
  return *found;
}

bool JsonReader::has(const char* key) const {
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

std::string JsonReader::text(const char* key) const {
  const Json& value = find(key, "a text");
  if (!value.is_string()) {
    refuse(key, "a text");
  }
  return value.get<std::string>();
}

void JsonReader::text_or_null(const char* key, std::string& value) const {
  value = find(key, "a text or null").is_null() ? "" : text(key);
}

bool JsonReader::truth(const char* key) const {
  const Json& value = find(key, "true or false");
  if (!value.is_boolean()) {
    refuse(key, "true or false");
  }
  return value.get<bool>();
}

std::uint64_t JsonReader::count(const char* key, std::uint64_t least, std::uint64_t most) const {
  const Json& value = find(key, "a whole number");
  if (!value.is_number_integer()) {
    refuse(key, "a whole number");
  }
  // A negative number is no unsigned one for this library.
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
      value.get<std::uint64_t>() > most) {
    refuse(key, most == std::numeric_limits<std::uint64_t>::max()
                    ? fmt::format("{} or more", least)
                    : fmt::format("{} to {}", least, most));
  }
  return value.get<std::uint64_t>();
}

double JsonReader::quantity(const char* key) const {
  const double value = number(key);
  if (!std::isfinite(value) || value < 0) {
    refuse(key, "0 or more, finite");
  }
  return value;
}

double JsonReader::number(const char* key) const {
  const Json& value = find(key, "a number");
  if (!value.is_number()) {
    refuse(key, "a number");
  }
  return value.get<double>();
}

JsonReader JsonReader::object(const char* key) const {
  return {std::shared_ptr<const Json>{value_, &find(key, "an object")},
          fmt::format("{}: {}", where_, key)};
}

std::vector<JsonReader> JsonReader::objects(const char* key) const {
  const Json& values = find(key, "a list");
  if (!values.is_array()) {
    refuse(key, "a list");
  }
  std::vector<JsonReader> all;
  all.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.push_back({std::shared_ptr<const Json>{value_, &values[i]},
                   fmt::format("{}: {}[{}]", where_, key, i)});
  }
  return all;
}

void JsonReader::refuse(const char* key, std::string_view expected) const {
  const std::string value = value_->at(key).dump(-1, ' ', false, Json::error_handler_t::replace);
  fail(fmt::format("{}: {}", key, printable(value)), expected);
}

void JsonReader::fail(std::string_view problem, std::string_view expected) const {
  throw ScenarioError{fmt::format("{}: {} (expected {})", where_, problem, expected)};
}

}  // namespace ringcast
