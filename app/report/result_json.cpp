#include <nlohmann/json.hpp>

#include "app/report/json_text.hpp"
#include "app/report/result.hpp"
#include "engine/numbers/error.hpp"
#include "engine/schedule/ring_cost.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// A file's name may be any bytes; what is no UTF-8 in it must not cost the result.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json{} : Json(text);
}

Json cell_json(const Cell& cell) {
  Json json;
  json["kind"] = "allreduce";
  json["ranks"] = cell.ranks;
  json["size_bytes"] = cell.size.count();
  json["algorithm"] = text_or_null(cell.algorithm);
  json["data_type"] = name_of(cell.reduction.type);
  json["reduction"] = name_of(cell.reduction.operation);
  json["transport"] = text_or_null(cell.transport);
  json["ring_order"] = text_or_null(cell.ring_order);
  json["channels"] = nullptr;
  if (cell.channels) {
    json["channels"] = *cell.channels;
  }
  json["segment_bytes"] = nullptr;
  if (cell.segment_size) {
    json["segment_bytes"] = cell.segment_size->count();
  }
  return json;
}

Json links_json(const std::vector<LinkLoad>& links) {
  Json json = Json::array();
  for (const LinkLoad& link : links) {
    json.push_back(
        {{"name", link.name},
         {"link_class", link.link_class},
         {"bandwidth_bytes_per_s", finite(link.bandwidth.value(), "bandwidth_bytes_per_s")},
         {"carried_bytes", link.carried.count()},
         {"utilisation", finite(link.utilisation, "utilisation")}});
  }
  return json;
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
  json["lower_bound_s"] = nullptr;
  json["lower_bound_reason"] = text_or_null(row.lower_bound_reason);
  json["messages"] = nullptr;
  json["sent_per_rank_bytes"] = nullptr;
  if (!row.lower_bound_reason.empty()) {
    json["lower_bound_s"] = finite(row.lower_bound.count(), "lower_bound_s");
  }
  if (row.messages > 0 || !row.lower_bound_reason.empty()) {
    json["messages"] = row.messages;
    json["sent_per_rank_bytes"] = row.sent_per_rank.count();
  }
  json["bottleneck"] = nullptr;
  json["bottleneck_utilisation"] = 0.0;
  if (!row.busiest.empty()) {
    json["bottleneck"] = row.busiest.front().name;
    json["bottleneck_utilisation"] =
        finite(row.busiest.front().utilisation, "bottleneck_utilisation");
  }
  json["links"] = links_json(row.busiest);
  if (!row.sensitivity.empty()) {
    json["sensitivity"] = Json::parse(to_json(row.sensitivity));
  }
  return json;
}

}  // namespace

std::string to_json(const AllreduceRow& row) {
  return text_of(row_json(row));
}

std::string to_json(const Cell& cell) {
  return text_of(cell_json(cell));
}

std::string to_json(const std::vector<LinkLoad>& links) {
  return text_of(links_json(links));
}

std::string to_json(const Result& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = Json::parse(to_json(result.provenance));
  json["rows"] = Json::array();
  for (const AllreduceRow& row : result.rows) {
    json["rows"].push_back(row_json(row));
  }
  for (const TrainingRow& row : result.training) {
    json["rows"].push_back(Json::parse(to_json(row)));
  }
  json["failures"] = Json::array();
  for (const FailedCell& failure : result.failures) {
    Json failed =
        failure.training ? Json::parse(to_json(*failure.training)) : cell_json(failure.cell);
    failed["error"] = failure.error;
    json["failures"].push_back(std::move(failed));
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const Result& result) {
  Json rows = Json::array();
  for (const AllreduceRow& row : result.rows) {
    rows.push_back(row_json(row));
    rows.back().erase("links");
    rows.back().erase("sensitivity");
  }
  for (const TrainingRow& row : result.training) {
    rows.push_back(Json::parse(to_json(row)));
    rows.back().erase("links");
    rows.back().erase("timeline");
    rows.back().erase("sensitivity");
  }
  return csv_of(text_of(rows));
}

}  // namespace ringcast
