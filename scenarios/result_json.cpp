#include <nlohmann/json.hpp>

#include "engine/error.hpp"
#include "engine/ring_cost.hpp"
#include "scenarios/json_text.hpp"
#include "scenarios/result.hpp"
#include "scenarios/text_table.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// A file's name may be any bytes; what is no UTF-8 in it must not cost the result.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json cell_json(const Cell& cell) {
  Json json;
  json["kind"] = "allreduce";
  json["ranks"] = cell.ranks;
  json["size_bytes"] = cell.size.count();
  json["algorithm"] = cell.algorithm;
  json["data_type"] = name_of(cell.reduction.type);
  json["reduction"] = name_of(cell.reduction.operation);
  json["transport"] = cell.transport;
  json["ring_order"] = cell.ring_order;
  json["channels"] = cell.channels;
  json["segment_bytes"] = nullptr;
  if (cell.segment_size) {
    json["segment_bytes"] = cell.segment_size->count();
  }
  return json;
}

Cell cell_from(const Json& json) {
  Cell cell;
  cell.ranks = json.at("ranks");
  cell.size = Bytes{json.at("size_bytes").get<std::uint64_t>()};
  cell.algorithm = json.at("algorithm");
  cell.reduction = {element_type_named(json.at("data_type").get<std::string>()).value(),
                    operation_named(json.at("reduction").get<std::string>()).value()};
  cell.transport = json.at("transport");
  cell.ring_order = json.at("ring_order");
  cell.channels = json.at("channels");
  if (const Json& segment = json.at("segment_bytes"); !segment.is_null()) {
    cell.segment_size = Bytes{segment.get<std::uint64_t>()};
  }
  return cell;
}

std::string_view value_key(Unit unit) {
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

Json sensitivity_json(const Sensitivity& sensitivity) {
  const InputNumber& number = sensitivity.number;
  Json json;
  json["name"] = number.name;
  json[std::string{value_key(number.unit)}] = finite(number.value, "value");
  json["change"] = finite(sensitivity.change, "change");
  json["time_change_when_raised"] = finite(sensitivity.when_raised, "time_change_when_raised");
  json["time_change_when_lowered"] = finite(sensitivity.when_lowered, "time_change_when_lowered");
  json["source"] = number.source;
  return json;
}

Sensitivity sensitivity_from(const Json& json) {
  Sensitivity sensitivity;
  sensitivity.number.name = json.at("name");
  for (const Unit unit : {Unit::rate, Unit::time, Unit::bytes, Unit::fraction}) {
    if (const auto value = json.find(value_key(unit)); value != json.end()) {
      sensitivity.number.unit = unit;
      sensitivity.number.value = *value;
    }
  }
  sensitivity.number.source = json.at("source");
  sensitivity.change = json.at("change");
  sensitivity.when_raised = json.at("time_change_when_raised");
  sensitivity.when_lowered = json.at("time_change_when_lowered");
  return sensitivity;
}

Json row_json(const AllreduceRow& row) {
  const Cell& cell = row.cell;
  Json json = cell_json(cell);
  json["time_s"] = finite(row.time.count(), "time_s");
  json["time_min_s"] = finite(row.time_min.count(), "time_min_s");
  json["time_max_s"] = finite(row.time_max.count(), "time_max_s");
  json["algbw_bytes_per_s"] =
      finite(algorithm_bandwidth(cell.size, row.time).value(), "algbw_bytes_per_s");
  json["busbw_bytes_per_s"] =
      finite(bus_bandwidth(cell.ranks, cell.size, row.time).value(), "busbw_bytes_per_s");
  json["verified"] = row.verified;
  json["lower_bound_s"] = finite(row.lower_bound.count(), "lower_bound_s");
  json["lower_bound_reason"] = row.lower_bound_reason;
  json["messages"] = row.messages;
  json["sent_per_rank_bytes"] = row.sent_per_rank.count();
  json["bottleneck"] = nullptr;
  json["bottleneck_utilisation"] = 0.0;
  if (!row.busiest.empty()) {
    json["bottleneck"] = row.busiest.front().name;
    json["bottleneck_utilisation"] =
        finite(row.busiest.front().utilisation, "bottleneck_utilisation");
  }
  json["links"] = Json::array();
  for (const LinkLoad& link : row.busiest) {
    json["links"].push_back(
        {{"name", link.name},
         {"link_class", link.link_class},
         {"bandwidth_bytes_per_s", finite(link.bandwidth.value(), "bandwidth_bytes_per_s")},
         {"carried_bytes", link.carried.count()},
         {"utilisation", finite(link.utilisation, "utilisation")}});
  }
  for (const Sensitivity& sensitivity : row.sensitivity) {
    json["sensitivity"].push_back(sensitivity_json(sensitivity));
  }
  return json;
}

/// One field of a CSV line: texts without JSON's quotes, the rest as in JSON.
std::string csv_field(const Json& value) {
  if (value.is_null()) {
    return "";
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string to_json(const AllreduceRow& row) {
  return text_of(row_json(row));
}

AllreduceRow row_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  AllreduceRow row;
  row.cell = cell_from(json);
  row.time = Seconds{json.at("time_s").get<double>()};
  row.time_min = Seconds{json.at("time_min_s").get<double>()};
  row.time_max = Seconds{json.at("time_max_s").get<double>()};
  row.verified = json.at("verified");
  row.lower_bound = Seconds{json.at("lower_bound_s").get<double>()};
  row.lower_bound_reason = json.at("lower_bound_reason");
  row.messages = json.at("messages");
  row.sent_per_rank = Bytes{json.at("sent_per_rank_bytes").get<std::uint64_t>()};
  for (const Json& link : json.at("links")) {
    row.busiest.push_back({link.at("name"), link.at("link_class"),
                           BytesPerSecond{link.at("bandwidth_bytes_per_s").get<double>()},
                           Bytes{link.at("carried_bytes").get<std::uint64_t>()},
                           link.at("utilisation")});
  }
  if (const auto list = json.find("sensitivity"); list != json.end()) {
    for (const Json& sensitivity : *list) {
      row.sensitivity.push_back(sensitivity_from(sensitivity));
    }
  }
  return row;
}

std::string to_json(const Result& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = Json::parse(to_json(result.provenance));
  json["rows"] = Json::array();
  for (const AllreduceRow& row : result.rows) {
    json["rows"].push_back(row_json(row));
  }
  json["failures"] = Json::array();
  for (const FailedCell& failure : result.failures) {
    Json failed = cell_json(failure.cell);
    failed["error"] = failure.error;
    json["failures"].push_back(std::move(failed));
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Result& result) {
  std::string text;
  for (const AllreduceRow& row : result.rows) {
    Json json = row_json(row);
    json.erase("links");
    json.erase("sensitivity");
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& [key, value] : json.items()) {
      names.push_back(key);
      values.push_back(csv_field(value));
    }
    text += text.empty() ? csv_line(names) : "";
    text += csv_line(values);
  }
  return text;
}

}  // namespace ringcast
