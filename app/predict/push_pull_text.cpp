#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/predict/push_pull.hpp"
#include "app/report/json_text.hpp"
#include "app/report/text_table.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Each worker pushes and pulls so much; a buffer of nothing has no rate.
double pushed_per_s(const PushPullRow& row) {
  return row.rounds_per_s * static_cast<double>(row.size.count());
}

Json row_json(const PushPullRow& row) {
  return {{"kind", "parameter-server"},
          {"ranks", row.ranks},
          {"servers", row.servers},
          {"workers", row.workers},
          {"servers_on", row.servers_on_hosts ? "host" : "gpu"},
          {"size_bytes", row.size.count()},
          {"data_type", name_of(row.type)},
          {"transport", row.transport},
          {"rounds", row.rounds},
          {"rounds_per_s", finite(row.rounds_per_s, "rounds_per_s")},
          {"slowest_rounds_per_s", finite(row.slowest_rounds_per_s, "slowest_rounds_per_s")},
          {"fastest_rounds_per_s", finite(row.fastest_rounds_per_s, "fastest_rounds_per_s")},
          {"pushed_bytes_per_s", finite(pushed_per_s(row), "pushed_bytes_per_s")},
          {"updates_per_s", finite(row.rounds_per_s * row.workers, "updates_per_s")}};
}

Json rows_json(const PushPullResult& result) {
  Json rows = Json::array();
  for (const PushPullRow& row : result.rows) {
    rows.push_back(row_json(row));
  }
  return rows;
}

ElementType type_named(const std::string& name) {
  const std::optional<ElementType> type = element_type_named(name);
  expect(type.has_value(), "no element type {}", name);
  return *type;
}

}  // namespace

std::string to_json(const PushPullRow& row) {
  return text_of(row_json(row));
}

PushPullRow push_pull_row_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  PushPullRow row;
  row.ranks = json.at("ranks");
  row.servers = json.at("servers");
  row.workers = json.at("workers");
  row.servers_on_hosts = json.at("servers_on") == "host";
  row.size = Bytes{json.at("size_bytes").get<std::uint64_t>()};
  row.type = type_named(json.at("data_type"));
  row.transport = json.at("transport");
  row.rounds = json.at("rounds");
  row.rounds_per_s = json.at("rounds_per_s");
  row.slowest_rounds_per_s = json.at("slowest_rounds_per_s");
  row.fastest_rounds_per_s = json.at("fastest_rounds_per_s");
  return row;
}

std::string to_json(const PushPullResult& result) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = Json::parse(to_json(result.provenance));
  json["rows"] = rows_json(result);
  json["failures"] = Json::array();
  for (const FailedPushPull& failure : result.failures) {
    json["failures"].push_back({{"kind", "parameter-server"},
                                {"ranks", failure.ranks},
                                {"size_bytes", failure.size.count()},
                                {"error", failure.error},
                                {"exit_code", failure.exit_code}});
  }
  return text_of(json, 2) + "\n";
}

std::string to_csv(const PushPullResult& result) {
  return csv_of(text_of(rows_json(result)));
}

std::string to_table(const PushPullResult& result) {
  expect(!result.rows.empty(), "a table without rows");
  std::vector<TableColumn> columns{{"ranks", {}},   {"servers", {}},   {"workers", {}},
                                   {"size", {}},    {"rounds/s", {}},  {"slowest", {}},
                                   {"fastest", {}}, {"push GB/s", {}}, {"updates/s", {}}};
  for (const PushPullRow& row : result.rows) {
    const std::vector<std::string> texts{fmt::format("{}", row.ranks),
                                         fmt::format("{}", row.servers),
                                         fmt::format("{}", row.workers),
                                         to_text(row.size),
                                         fmt::format("{:.3f}", row.rounds_per_s),
                                         fmt::format("{:.3f}", row.slowest_rounds_per_s),
                                         fmt::format("{:.3f}", row.fastest_rounds_per_s),
                                         fmt::format("{:.3f}", pushed_per_s(row) / 1e9),
                                         fmt::format("{:.3f}", row.rounds_per_s * row.workers)};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].texts.push_back(texts[i]);
    }
  }
  const PushPullRow& first = result.rows.front();
  return fmt::format(
             "# ringcast {}: {}, predicted with {}\n"
             "# asynchronous parameter servers on {}s, sum of {}, transport {}\n"
             "# each worker pushes and pulls the size once a round; {} rounds from a standstill\n",
             result.provenance.program_version, result.provenance.scenario,
             result.provenance.backend, first.servers_on_hosts ? "host" : "GPU",
             name_of(first.type), first.transport, first.rounds) +
         laid_out(columns);
}

}  // namespace ringcast
