// Results from JSON: what a child process hands over, and whole files.
#include <limits>

#include <fmt/format.h>

#include "app/report/json_rows.hpp"
#include "app/report/json_text.hpp"
#include "app/report/result.hpp"

namespace ringcast {
namespace {

constexpr std::uint64_t most_ranks = std::numeric_limits<int>::max();

}  // namespace

Cell cell_of(const JsonObject& json, const char* size_key) {
  Cell cell;
  cell.ranks = static_cast<int>(json.count("ranks", 1, most_ranks));
  cell.size = Bytes{json.count(size_key)};
  cell.algorithm = json.text_or_none("algorithm");
  cell.reduction = {json.one_of("data_type", element_type_named, "float32, bfloat16, ..."),
                    json.one_of("reduction", operation_named, "sum, prod, min, max or avg")};
  cell.transport = json.text_or_none("transport");
  cell.ring_order = json.text_or_none("ring_order");
  cell.channels.reset();
  if (json.has("channels")) {
    cell.channels = static_cast<int>(json.count("channels", 1, most_ranks));
  }
  if (json.has("segment_bytes")) {
    cell.segment_size = Bytes{json.count("segment_bytes", 1)};
  }
  return cell;
}

std::vector<LinkLoad> links_of(const JsonObject& json) {
  std::vector<LinkLoad> links;
  for (const JsonObject& link : json.objects("links")) {
    links.push_back({link.text("name"), link.text("link_class"),
                     BytesPerSecond{link.quantity("bandwidth_bytes_per_s")},
                     Bytes{link.count("carried_bytes")}, link.quantity("utilisation")});
  }
  return links;
}

namespace {

/// Where nothing is exchanged, no time may pass; else bandwidths and quotients must be finite.
void expect_plausible_time(const JsonObject& json, const AllreduceRow& row) {
  const bool nothing = row.cell.ranks == 1 || row.cell.size == 0_B;
  const double time = row.time.count();
  if ((time < 1e-15 || time > 1e15) && !(nothing && time == 0)) {
    json.refuse("time_s", nothing ? "0, or 1e-15 to 1e15" : "1e-15 to 1e15");
  }
}

AllreduceRow row_of(const JsonObject& json) {
  AllreduceRow row;
  row.cell = cell_of(json, "size_bytes");
  row.time = Seconds{json.quantity("time_s")};
  row.time_min = Seconds{json.quantity("time_min_s")};
  row.time_max = Seconds{json.quantity("time_max_s")};
  expect_plausible_time(json, row);
  row.verified = json.truth("verified");
  if (json.has("lower_bound_s")) {
    row.lower_bound = Seconds{json.quantity("lower_bound_s")};
    row.lower_bound_reason = json.text("lower_bound_reason");
  }
  if (json.has("messages")) {
    row.messages = json.count("messages");
    row.sent_per_rank = Bytes{json.count("sent_per_rank_bytes")};
  }
  row.busiest = links_of(json);
  row.sensitivity = sensitivities_of(json);
  return row;
}

Provenance provenance_of(const JsonObject& json) {
  return {.program_version = json.text("program_version"),
          .scenario = json.text("scenario"),
          .scenario_file = json.text("scenario_file"),
          .scenario_sha256 = json.text("scenario_sha256"),
          .cluster = json.text("cluster"),
          .backend = json.text("backend"),
          .host = json.text("host"),
          .started_at = json.text("started_at"),
          .simulated = json.truth("simulated")};
}

bool is_training(const JsonObject& json) {
  const std::string kind = json.text("kind");
  if (kind != "training" && kind != "allreduce") {
    json.refuse("kind", "\"allreduce\" or \"training\"");
  }
  return kind == "training";
}

FailedCell failure_of(const JsonObject& json) {
  FailedCell failure;
  if (is_training(json)) {
    failure.training = training_cell_of(json);
    failure.cell = failure.training->cell;
  } else {
    failure.cell = cell_of(json, "size_bytes");
  }
  failure.error = json.text("error");
  return failure;
}

}  // namespace

void add_row(Result& result, const JsonObject& row) {
  if (is_training(row)) {
    result.training.push_back(training_row_of(row));
  } else {
    result.rows.push_back(row_of(row));
  }
}

AllreduceRow row_from_json(const std::string& text) {
  return row_of(JsonObject::parsed(text, "row"));
}

Result result_from_json(const std::string& text, const std::string& file) {
  const JsonObject top = JsonObject::parsed(text, file);
  if (top.count("schema_version") != Result::schema_version) {
    top.refuse("schema_version", fmt::format("{}", Result::schema_version));
  }
  Result result;
  result.provenance = provenance_of(top.object("provenance"));
  for (const JsonObject& row : top.objects("rows")) {
    add_row(result, row);
  }
  if (top.has("failures")) {
    for (const JsonObject& failure : top.objects("failures")) {
      result.failures.push_back(failure_of(failure));
    }
  }
  return result;
}

}  // namespace ringcast
