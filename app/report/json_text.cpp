#include "app/report/json_text.hpp"

#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/text_table.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

double finite(double value, std::string_view key) {
  expect(std::isfinite(value), "{} is {} in a result", key, value);
  return value;
}

std::string to_json(const Provenance& provenance) {
  const nlohmann::ordered_json json = {{"program_version", provenance.program_version},
                                       {"scenario", provenance.scenario},
                                       {"scenario_file", provenance.scenario_file},
                                       {"scenario_sha256", provenance.scenario_sha256},
                                       {"cluster", provenance.cluster},
                                       {"backend", provenance.backend},
                                       {"host", provenance.host},
                                       {"started_at", provenance.started_at},
                                       {"simulated", provenance.simulated}};
  // A file's name may be any bytes; what is no UTF-8 in it must not cost the result.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

const char* value_key(Unit unit) {
  switch (unit) {
    case Unit::rate:
      return "value_bytes_per_s";
    case Unit::time:
      return "value_s";
    case Unit::bytes:
      return "value_bytes";
    case Unit::fraction:
      return "value";
  }
  throw ContractViolation{"a number of no unit"};
}

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
