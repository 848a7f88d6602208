// Results from JSON: what a child process hands over, and whole files.
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/error.hpp"
#include "scenarios/json_text.hpp"
#include "scenarios/result.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// An object whose keys are asked for by type; remembers where it stands in the file.
class JsonObject {
 public:
  JsonObject(const Json& value, std::string where) : value_{value}, where_{std::move(where)} {
    if (!value_.is_object()) {
      fail("not an object", "key: value pairs");
    }
  }

  [[nodiscard]] bool has(const char* key) const {
    return value_.contains(key) && !value_.at(key).is_null();
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json& value = find(key, "a text");
    if (!value.is_string()) {
      refuse(key, "a text");
    }
    return value.get<std::string>();
  }
  /// Empty where the file says null.
  [[nodiscard]] std::string text_or_none(const char* key) const {
    return find(key, "a text or null").is_null() ? "" : text(key);
  }
  [[nodiscard]] bool truth(const char* key) const {
    const Json& value = find(key, "true or false");
    if (!value.is_boolean()) {
      refuse(key, "true or false");
    }
    return value.get<bool>();
  }
  [[nodiscard]] std::uint64_t count(
      const char* key, std::uint64_t least = 0,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const {
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
  [[nodiscard]] double quantity(const char* key) const {
    const double value = number(key);
    if (!std::isfinite(value) || value < 0) {
      refuse(key, "0 or more, finite");
    }
    return value;
  }
  /// Of either sign. Finite: a text with a number beyond the range of a double is not parsed.
  [[nodiscard]] double number(const char* key) const {
    const Json& value = find(key, "a number");
    if (!value.is_number()) {
      refuse(key, "a number");
    }
    return value.get<double>();
  }
  template <typename Known>
  [[nodiscard]] Known one_of(const char* key, std::optional<Known> (*named)(std::string_view),
                             std::string_view expected) const {
    const std::optional<Known> found = named(text(key));
    if (!found) {
      refuse(key, expected);
    }
    return *found;
  }
  [[nodiscard]] JsonObject object(const char* key) const {
    return {find(key, "an object"), fmt::format("{}: {}", where_, key)};
  }
  [[nodiscard]] std::vector<JsonObject> objects(const char* key) const {
    const Json& values = find(key, "a list");
    if (!values.is_array()) {
      refuse(key, "a list");
    }
    std::vector<JsonObject> all;
    all.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      all.push_back({values[i], fmt::format("{}: {}[{}]", where_, key, i)});
    }
    return all;
  }

  [[noreturn]] void refuse(const char* key, std::string_view expected) const {
    fail(fmt::format("{}: {}", key,
                     value_.at(key).dump(-1, ' ', false, Json::error_handler_t::replace)),
         expected);
  }

 private:
  [[nodiscard]] const Json& find(const char* key, std::string_view expected) const {
    if (!value_.contains(key)) {
      fail(fmt::format("{}: missing", key), expected);
    }
    return value_.at(key);
  }
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const {
    throw ScenarioError{fmt::format("{}: {} (expected {})", where_, problem, expected)};
  }

  const Json& value_;
  std::string where_;
};

constexpr std::uint64_t most_ranks = std::numeric_limits<int>::max();

Cell cell_of(const JsonObject& json) {
  if (json.text("kind") != "allreduce") {
    json.refuse("kind", "\"allreduce\"");
  }
  Cell cell;
  cell.ranks = static_cast<int>(json.count("ranks", 1, most_ranks));
  cell.size = Bytes{json.count("size_bytes")};
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

/// Where nothing is exchanged, no time may pass; else bandwidths and quotients must be finite.
void expect_plausible_time(const JsonObject& json, const AllreduceRow& row) {
  const bool nothing = row.cell.ranks == 1 || row.cell.size == 0_B;
  const double time = row.time.count();
  if ((time < 1e-15 || time > 1e15) && !(nothing && time == 0)) {
    json.refuse("time_s", nothing ? "0, or 1e-15 to 1e15" : "1e-15 to 1e15");
  }
}

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

AllreduceRow row_of(const JsonObject& json) {
  AllreduceRow row;
  row.cell = cell_of(json);
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
  for (const JsonObject& link : json.objects("links")) {
    row.busiest.push_back({link.text("name"), link.text("link_class"),
                           BytesPerSecond{link.quantity("bandwidth_bytes_per_s")},
                           Bytes{link.count("carried_bytes")}, link.quantity("utilisation")});
  }
  if (json.has("sensitivity")) {
    for (const JsonObject& sensitivity : json.objects("sensitivity")) {
      row.sensitivity.push_back(sensitivity_of(sensitivity));
    }
  }
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

Json parsed(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // A number beyond the range of a double is no parse_error, and has no position.
    const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error);
    throw ScenarioError{
        fmt::format("{}: not JSON{} (expected a file that ringcast wrote with "
                    "--output)",
                    file, syntax != nullptr ? fmt::format(" at byte {}", syntax->byte) : "")};
  }
}

}  // namespace

AllreduceRow row_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  return row_of({json, "row"});
}

Result result_from_json(const std::string& text, const std::string& file) {
  const Json json = parsed(text, file);
  const JsonObject top{json, file};
  if (top.count("schema_version") != Result::schema_version) {
    top.refuse("schema_version", fmt::format("{}", Result::schema_version));
  }
  Result result;
  result.provenance = provenance_of(top.object("provenance"));
  for (const JsonObject& row : top.objects("rows")) {
    result.rows.push_back(row_of(row));
  }
  if (top.has("failures")) {
    for (const JsonObject& failure : top.objects("failures")) {
      result.failures.push_back({cell_of(failure), failure.text("error"), 1});
    }
  }
  return result;
}

}  // namespace ringcast
