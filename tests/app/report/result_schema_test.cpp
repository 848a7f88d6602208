#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/report/result_fields.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// Describes what JsonWriter writes, in the words of JSON Schema.
class JsonSchema {
 public:
  /// Makes `schema` one of objects and adds their keys.
  explicit JsonSchema(Json& schema) : schema_{schema} {
    schema_["type"] = "object";
    schema_["properties"] = Json::object();
    schema_["required"] = Json::array();
    schema_["additionalProperties"] = false;
  }

  void constant(const char* key, std::string_view text) { add(key, "string")["const"] = text; }
  template <typename T>
  void field(const char* key, const T& /*value*/, std::uint64_t least = 0) {
    if constexpr (std::same_as<T, bool>) {
      add(key, "boolean");
    } else if constexpr (std::same_as<T, std::string>) {
      add(key, "string");
    } else if constexpr (std::integral<T> || std::same_as<T, Bytes>) {
      add(key, "integer")["minimum"] = least;
    } else {
      add(key, "number")["minimum"] = 0;
    }
  }
  template <Optional T>
  void field(const char* key, const T& /*value*/, std::uint64_t least = 0) {
    group(key, false, [&] { field(key, typename T::value_type{}, least); });
  }
  void text_or_null(const char* key, const std::string& text) {
    group(key, false, [&] { field(key, text); });
  }
  void text_if_any(const char* key, const std::string& text) { text_or_null(key, text); }
  void signed_number(const char* key, double /*value*/) { add(key, "number"); }
  template <typename T>
  void one_of(const char* key, const T& /*value*/, Values<T> values, NameOf<T> name) {
    Json& texts = add(key, "string")["enum"];
    for (const T known : values) {
      texts.push_back(name(known));
    }
  }
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  template <typename T>
  void objects(const char* key, const std::vector<T>& /*parts*/, List list = List::always) {
    requires_ = list == List::always;
    T part{};
    fields(JsonSchema{add(key, "array")["items"]}, part);
    requires_ = true;
  }
  template <typename Describe>
  void group(const char* /*first*/, bool /*known*/, const Describe& describe) {
    allows_null_ = true;
    describe();
    allows_null_ = false;
  }
  void input_value(const InputNumber& number) {
    requires_ = false;
    for (const ValueKey& value : value_keys) {
      field(value.key, number.value);
    }
    requires_ = true;
  }

 private:
  Json& add(const char* key, const char* type) {
    if (requires_) {
      schema_["required"].push_back(key);
    }
    Json& property = schema_["properties"][key];
    property["type"] = allows_null_ ? Json{type, "null"} : Json(type);
    if (std::string_view{key} == "carried_bytes") {
      property["description"] =
          "payload and what the protocol adds to it on the cables, as LL and LL128 do";
    }
    return property;
  }

  Json& schema_;
  bool allows_null_ = false;
  bool requires_ = true;
};

/// The rows of a kind, or their cells in the list of failures.
Json row_schema(bool trains, bool failed) {
  Row row;
  if (trains) {
    row.cell.training.emplace();
    row.iteration.emplace();
  }
  Json json;
  JsonSchema schema{json};
  fields(schema, row.cell);
  if (failed) {
    schema.field("error", std::string{});
  } else {
    outcome_fields(schema, row);
    choice_fields(schema, row.cell);
  }
  return json;
}

Json list_of_both_kinds(bool failed) {
  Json list;
  list["type"] = "array";
  list["items"]["oneOf"] = {row_schema(false, failed), row_schema(true, failed)};
  return list;
}

std::string result_schema() {
  Json json;
  json["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  json["title"] = "What ringcast predict, measure and import write with --output FILE.json";
  json["type"] = "object";
  Json& keys = json["properties"];
  keys["schema_version"]["const"] = Result::schema_version;
  Provenance any;
  fields(JsonSchema{keys["provenance"]}, any);
  keys["rows"] = list_of_both_kinds(false);
  keys["failures"] = list_of_both_kinds(true);
  json["required"] = {"schema_version", "provenance", "rows", "failures"};
  return text_of(json, 2) + "\n";
}

// Python's tests hold the readers of analysis/ against the file (analysis/tests/test_schema.py).
// RINGCAST_UPDATE=1 report_tests --gtest_filter='ResultSchema.*' writes it.
TEST(ResultSchema, IsTheOneInTheDocuments) {
  const std::filesystem::path file =
      std::filesystem::path{RINGCAST_SOURCE_DIR} / "docs/result.schema.json";
  if (std::getenv("RINGCAST_UPDATE") != nullptr) {
    std::ofstream{file} << result_schema();
  }
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};

  EXPECT_EQ(text, result_schema()) << "RINGCAST_UPDATE=1 writes docs/result.schema.json anew";
}

}  // namespace
}  // namespace ringcast
