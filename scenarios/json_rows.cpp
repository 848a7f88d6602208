#include "scenarios/json_rows.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include "scenarios/text_table.hpp"

namespace ringcast {

std::string csv_of(const std::string& json_objects) {
  using Json = nlohmann::ordered_json;
  std::string text;
  for (const Json& object : Json::parse(json_objects)) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& [key, value] : object.items()) {
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
