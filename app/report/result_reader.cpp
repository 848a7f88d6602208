// Results from JSON: whole files, and rows as messages of child processes.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/report/result_fields.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // A number beyond the range of a double is no parse_error, and has no position.
    const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error);
    throw ScenarioError{
        fmt::format("{}: not JSON{} (expected a file that ringcast wrote with --output)", file,
                    syntax != nullptr ? fmt::format(" at byte {}", syntax->byte) : "")};
  }
}

/// Reads the fields of a JSON object (result_fields.hpp). Errors are ScenarioErrors with the path
/// of the object in the file: "FILE: rows[1]: time_s: missing (expected a number)".
class JsonReader {
 public:
  /// `value` must outlive this.
  JsonReader(const Json& value, std::string where) : value_{value}, where_{std::move(where)} {
    if (!value_.is_object()) {
      fail("not an object", "key: value pairs");
    }
  }

  void constant(const char* /*key*/, std::string_view /*text*/) const {}
  template <typename T>
  void field(const char* key, T& value, std::uint64_t least = 0) const {
    if constexpr (Optional<T>) {
      value.reset();
      if (has(key)) {
        field(key, value.emplace(), least);
      }
    } else if constexpr (std::same_as<T, bool>) {
      value = find(key, &Json::is_boolean, "true or false").get<bool>();
    } else if constexpr (std::same_as<T, std::string>) {
      value = text(key);
    } else if constexpr (std::integral<T>) {
      constexpr T most = std::numeric_limits<T>::max();
      value = static_cast<T>(count(key, least, static_cast<std::uint64_t>(most)));
    } else if constexpr (std::same_as<T, Bytes>) {
      value = Bytes{count(key, least)};
    } else {
      value = T{number(key)};
      if (value < T{0}) {
        refuse(key, "0 or more, finite");
      }
    }
  }
  void text_or_null(const char* key, std::string& value) const {
    value = find(key, nullptr, "a text or null").is_null() ? "" : text(key);
  }
  void text_if_any(const char* key, std::string& value) const { value = has(key) ? text(key) : ""; }
  void signed_number(const char* key, double& value) const { value = number(key); }
  template <typename T>
  void one_of(const char* key, T& value, Values<T> values, NameOf<T> name) const {
    const auto known = std::ranges::find(values, text(key), name);
    if (known == values.end()) {
      refuse(key, listed(names_of(values, name), "or"));
    }
    value = *known;
  }
  template <typename T>
  void derived(const char* /*key*/, const T& /*value*/) const {}
  template <typename T>
  void objects(const char* key, std::vector<T>& parts, List list = List::always) const {
    if (list == List::always || has(key)) {
      for (const JsonReader& object : objects(key)) {
        fields(object, parts.emplace_back());
      }
    }
  }
  template <typename Read>
  void group(const char* first, bool /*known*/, const Read& read) const {
    if (has(first)) {
      read();
    }
  }
  void input_value(InputNumber& number) const {
    const auto* const known =
        std::ranges::find_if(value_keys, [&](const ValueKey& value) { return has(value.key); });
    // Without any, the last is missing.
    const auto& [unit, key] = known == std::end(value_keys) ? *std::rbegin(value_keys) : *known;
    number.unit = unit;
    field(key, number.value);
  }

  [[nodiscard]] bool has(const char* key) const {
    const auto found = value_.find(key);
    return found != value_.end() && !found->is_null();
  }
  [[nodiscard]] std::string text(const char* key) const {
    return find(key, &Json::is_string, "a text").get<std::string>();
  }
  [[nodiscard]] std::uint64_t count(
      const char* key, std::uint64_t least = 0,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const {
    const Json& value = find(key, &Json::is_number_integer, "a whole number");
    const bool is_negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (is_negative || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most) {
      refuse(key, most == std::numeric_limits<std::uint64_t>::max()
                      ? fmt::format("{} or more", least)
                      : fmt::format("{} to {}", least, most));
    }
    return value.get<std::uint64_t>();
  }
  [[nodiscard]] JsonReader object(const char* key) const {
    return {find(key, nullptr, "an object"), fmt::format("{}: {}", where_, key)};
  }
  [[nodiscard]] std::vector<JsonReader> objects(const char* key) const {
    std::vector<JsonReader> all;
    for (const Json& value : find(key, &Json::is_array, "a list")) {
      all.emplace_back(value, fmt::format("{}: {}[{}]", where_, key, all.size()));
    }
    return all;
  }
  [[noreturn]] void refuse(const char* key, std::string_view expected) const {
    const std::string value = value_.at(key).dump(-1, ' ', false, Json::error_handler_t::replace);
    fail(fmt::format("{}: {}", key, printable(value)), expected);
  }

 private:
  /// The value of a key, which must satisfy `is_expected`.
  [[nodiscard]] const Json& find(const char* key, bool (Json::*is_expected)() const noexcept,
                                 std::string_view expected) const {
    const auto found = value_.find(key);
    if (found == value_.end()) {
      fail(fmt::format("{}: missing", key), expected);
    }
    if (is_expected != nullptr && !((*found).*is_expected)()) {
      refuse(key, expected);
    }
    return *found;
  }
  /// Finite: a text with a number beyond the range of a double is not parsed.
  [[nodiscard]] double number(const char* key) const {
    return find(key, &Json::is_number, "a number").get<double>();
  }
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const {
    throw ScenarioError{fmt::format("{}: {} (expected {})", where_, problem, expected)};
  }

  const Json& value_;
  std::string where_;
};

/// Rates and quotients of times must be finite. Where nothing is exchanged, no time may pass.
void expect_plausible(Seconds time, const char* key, const JsonReader& json, bool may_be_0) {
  const bool plausible = time.count() >= 1e-15 && time.count() <= 1e15;
  if (!plausible && !(may_be_0 && time == Seconds{0})) {
    json.refuse(key, may_be_0 ? "0, or 1e-15 to 1e15" : "1e-15 to 1e15");
  }
}

void expect_plausible_times(const Row& row, const JsonReader& json) {
  if (row.iteration) {
    expect_plausible(row.time, "iteration_s", json, false);
    expect_plausible(row.time_min, "iteration_low_s", json, false);
    expect_plausible(row.time_max, "iteration_high_s", json, false);
  } else {
    expect_plausible(row.time, "time_s", json, row.cell.ranks == 1 || row.cell.size == 0_B);
  }
}

Cell cell_of(const JsonReader& json) {
  const std::string kind = json.text("kind");
  if (kind != "training" && kind != "allreduce") {
    json.refuse("kind", "\"allreduce\" or \"training\"");
  }
  Cell cell;
  if (kind == "training") {
    cell.training.emplace();
  }
  fields(json, cell);
  choice_fields(json, cell);
  return cell;
}

Row row_of(const Cell& cell, const JsonReader& json) {
  Row row;
  row.cell = cell;
  if (cell.training) {
    row.iteration.emplace();
  }
  outcome_fields(json, row);
  expect_plausible_times(row, json);
  return row;
}

}  // namespace

std::string checked_outcome(const Row& row) {
  const Json json = json_of_outcome(row);
  std::string text = text_of(json);
  static_cast<void>(row_of(row.cell, {json, "predicted"}));
  return text;
}

Row row_from_json(const std::string& text) {
  const Json json = parsed(text, "row");
  return row_of(cell_of({json, "row"}), {json, "row"});
}

Row row_from_outcome(const Cell& cell, const std::string& text) {
  return row_of(cell, {parsed(text, "row"), "row"});
}

Result result_from_json(const std::string& text, const std::string& file) {
  const Json json = parsed(text, file);
  const JsonReader top{json, file};
  if (top.count("schema_version") != Result::schema_version) {
    top.refuse("schema_version", fmt::format("{}", Result::schema_version));
  }
  const bool is_comparison = top.has("mean_absolute_error");
  if (!top.has("rows") || is_comparison) {
    throw ScenarioError{fmt::format(
        "{}: has no rows{} (expected a result of predict, measure or import, but not what "
        "--until-efficiency, compare or rings wrote)",
        file, is_comparison ? " but those of a comparison" : "")};
  }
  Result result;
  fields(top.object("provenance"), result.provenance);
  for (const JsonReader& row : top.objects("rows")) {
    result.rows.push_back(row_of(cell_of(row), row));
  }
  if (top.has("failures")) {
    for (const JsonReader& failure : top.objects("failures")) {
      result.failures.push_back({cell_of(failure), failure.text("error")});
    }
  }
  return result;
}

}  // namespace ringcast
