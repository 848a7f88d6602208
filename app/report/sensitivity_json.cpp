#include <nlohmann/json.hpp>

#include "app/report/json_object.hpp"
#include "app/report/json_text.hpp"
#include "app/report/sensitivity.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Unit unit_of(const JsonObject& sensitivity) {
  for (const Unit unit : {Unit::rate, Unit::time, Unit::bytes}) {
    if (sensitivity.has(value_key(unit))) {
      return unit;
    }
  }
  return Unit::fraction;
}

Sensitivity sensitivity_of(const JsonObject& json) {
  const Unit unit = unit_of(json);
  return {.number = {.name = json.text("name"),
                     .value = json.quantity(value_key(unit)),
                     .unit = unit,
                     .source = json.text("source")},
          .change = json.quantity("change"),
          .when_raised = json.number("time_change_when_raised"),
          .when_lowered = json.number("time_change_when_lowered")};
}

}  // namespace

std::string to_json(const std::vector<Sensitivity>& sensitivities) {
  Json list = Json::array();
  for (const Sensitivity& sensitivity : sensitivities) {
    const InputNumber& number = sensitivity.number;
    Json json;
    json["name"] = number.name;
    json[value_key(number.unit)] = finite(number.value, "value");
    json["change"] = finite(sensitivity.change, "change");
    json["time_change_when_raised"] = finite(sensitivity.when_raised, "time_change_when_raised");
    json["time_change_when_lowered"] = finite(sensitivity.when_lowered, "time_change_when_lowered");
    json["source"] = number.source;
    list.push_back(std::move(json));
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Sensitivity> sensitivities_of(const JsonObject& row) {
  std::vector<Sensitivity> sensitivities;
  if (row.has("sensitivity")) {
    for (const JsonObject& sensitivity : row.objects("sensitivity")) {
      sensitivities.push_back(sensitivity_of(sensitivity));
    }
  }
  return sensitivities;
}

}  // namespace ringcast
