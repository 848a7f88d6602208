#include "app/report/json_object.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"

namespace ringcast {

using Json = nlohmann::ordered_json;

/// A part of a document, whose library the header keeps out of sight.
struct JsonObject::Value {
  std::shared_ptr<const Json> document;
  const Json* json;
};

JsonObject::JsonObject(std::shared_ptr<const Value> value, std::string where)
    : value_{std::move(value)}, where_{std::move(where)} {
  if (!value_->json->is_object()) {
    fail("not an object", "key: value pairs");
  }
}

JsonObject JsonObject::parsed(const std::string& text, const std::string& file) {
  try {
    const auto document = std::make_shared<const Json>(Json::parse(text));
    return {std::make_shared<const Value>(Value{document, document.get()}), file};
  } catch (const Json::exception& error) {
    // A number beyond the range of a double is no parse_error, and has no position.
    const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error);
    throw ScenarioError{
        fmt::format("{}: not JSON{} (expected a file that ringcast wrote with "
                    "--output)",
                    file, syntax != nullptr ? fmt::format(" at byte {}", syntax->byte) : "")};
  }
}

JsonObject::Value JsonObject::find(const char* key, std::string_view expected) const {
  if (!value_->json->contains(key)) {
    fail(fmt::format("{}: missing", key), expected);
  }
  return {value_->document, &value_->json->at(key)};
}

bool JsonObject::has(const char* key) const {
  return value_->json->contains(key) && !value_->json->at(key).is_null();
}

std::string JsonObject::text(const char* key) const {
  const Value value = find(key, "a text");
  if (!value.json->is_string()) {
    refuse(key, "a text");
  }
  return value.json->get<std::string>();
}

std::string JsonObject::text_or_none(const char* key) const {
  return find(key, "a text or null").json->is_null() ? "" : text(key);
}

bool JsonObject::truth(const char* key) const {
  const Value value = find(key, "true or false");
  if (!value.json->is_boolean()) {
    refuse(key, "true or false");
  }
  return value.json->get<bool>();
}

std::uint64_t JsonObject::count(const char* key, std::uint64_t least, std::uint64_t most) const {
  const Value value = find(key, "a whole number");
  if (!value.json->is_number_integer()) {
    refuse(key, "a whole number");
  }
  // A negative number is no unsigned one for this library.
  if (!value.json->is_number_unsigned() || value.json->get<std::uint64_t>() < least ||
      value.json->get<std::uint64_t>() > most) {
    refuse(key, most == std::numeric_limits<std::uint64_t>::max()
                    ? fmt::format("{} or more", least)
                    : fmt::format("{} to {}", least, most));
  }
  return value.json->get<std::uint64_t>();
}

double JsonObject::quantity(const char* key) const {
  const double value = number(key);
  if (!std::isfinite(value) || value < 0) {
    refuse(key, "0 or more, finite");
  }
  return value;
}

double JsonObject::number(const char* key) const {
  const Value value = find(key, "a number");
  if (!value.json->is_number()) {
    refuse(key, "a number");
  }
  return value.json->get<double>();
}

JsonObject JsonObject::object(const char* key) const {
  return {std::make_shared<const Value>(find(key, "an object")),
          fmt::format("{}: {}", where_, key)};
}

std::vector<JsonObject> JsonObject::objects(const char* key) const {
  const Value values = find(key, "a list");
  if (!values.json->is_array()) {
    refuse(key, "a list");
  }
  std::vector<JsonObject> all;
  all.reserve(values.json->size());
  for (std::size_t i = 0; i < values.json->size(); ++i) {
    all.push_back({std::make_shared<const Value>(Value{values.document, &(*values.json)[i]}),
                   fmt::format("{}: {}[{}]", where_, key, i)});
  }
  return all;
}

void JsonObject::refuse(const char* key, std::string_view expected) const {
  fail(fmt::format("{}: {}", key,
                   value_->json->at(key).dump(-1, ' ', false, Json::error_handler_t::replace)),
       expected);
}

void JsonObject::fail(std::string_view problem, std::string_view expected) const {
  throw ScenarioError{fmt::format("{}: {} (expected {})", where_, problem, expected)};
}

}  // namespace ringcast
