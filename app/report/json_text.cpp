#include "app/report/json_text.hpp"

#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {
namespace {

/// Quoted if necessary (RFC 4180).
std::string csv_field(const std::string& raw) {
  std::string text = without_controls(raw, "\r\n\t");
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += (&field == &fields.front() ? "" : ",") + csv_field(field);
  }
  return line + "\r\n";
}

/// JSON has no NaN and no infinity, and the library would write null in silence. The recursion
/// follows the form of the files.
void expect_finite(const nlohmann::ordered_json& json, std::string_view key = "") {
  if (json.is_object()) {
    for (const auto& [name, value] : json.items())
      expect_finite(value, name);
  } else if (json.is_array()) {
    for (const nlohmann::ordered_json& each : json)
      expect_finite(each, key);
  } else if (json.is_number_float()) {
    const auto value = json.get<double>();
    expect(std::isfinite(value), "{} is {} in a result", key, value);
  }
}

/// All texts as csv_field() has them.
void remove_controls(nlohmann::ordered_json& json) {
  if (json.is_string()) json = without_controls(json.get<std::string>(), "\r\n\t");
  if (!json.is_structured()) return;
  for (nlohmann::ordered_json& each : json)
    remove_controls(each);
}

}  // namespace

std::string text_of(const nlohmann::ordered_json& json, int indent) {
  expect_finite(json);
  try {
    std::string text = json.dump(indent);
    // JSON permits control characters above 0x1f, which a terminal would execute: escape them.
    return text == without_controls(text, "\n") ? text : json.dump(indent, ' ', true);
  } catch (const nlohmann::ordered_json::type_error&) {  // not UTF-8
    nlohmann::ordered_json printable = json;
    remove_controls(printable);
    return printable.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  }
}

std::string csv_of(const nlohmann::ordered_json& rows) {
  expect_finite(rows);
  std::string text;
  for (const nlohmann::ordered_json& row : rows) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& [key, value] : row.items()) {
      if (value.is_array()) {
        continue;
      }
      names.push_back(key);
      values.push_back(value.is_null()     ? ""
                       : value.is_string() ? value.get<std::string>()
                                           : value.dump());
    }
    text += text.empty() ? csv_line(names) : "";
    text += csv_line(values);
  }
  return text;
}

}  // namespace ringcast
