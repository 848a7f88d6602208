#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/report/some_result.hpp"
#include "tests/refusal.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

Json right() {
  Result result = some_result({some_row(), some_row()});
  result.failures.push_back({some_row().cell, "out of luck", 4});
  return Json::parse(to_json(result));
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { return result_from_json(text, "r.json"); });
}

/// The refusal of a second row with another value under `key`.
std::string refusal_of(const std::string& key, const Json& value) {
  Json json = right();
  json["rows"][1][key] = value;
  return refusal(json.dump());
}

TEST(ResultReader, BringsAFileBack) {
  const std::string text = right().dump();

  const Result result = result_from_json(text, "r.json");

  EXPECT_EQ(Json::parse(to_json(result)), right());
  EXPECT_EQ(result.failures.at(0).error, "out of luck");
}

TEST(ResultReader, BringsBackWhatALogLeavesOpen) {
  Row row = some_row();
  row.cell.algorithm = row.cell.transport = row.cell.ring_order = "";
  row.cell.channels.reset();
  row.lower_bound_reason = "";
  row.messages = 0;
  const std::string text = to_json(some_result({row}));

  const Row read = result_from_json(text, "r.json").rows.at(0);

  EXPECT_EQ(to_json(read), to_json(row));
  EXPECT_EQ(read.cell.channels, std::nullopt);
  const Json json = Json::parse(text)["rows"][0];
  for (const char* const key : {"algorithm", "transport", "ring_order", "channels", "lower_bound_s",
                                "lower_bound_reason", "messages"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
}

TEST(ResultReader, BringsBackTheGpusWhichOlderFilesDoNotName) {
  Result result = some_result({some_row()});
  result.provenance.gpus = "8 x NVIDIA H200";
  Json json = Json::parse(to_json(result));
  EXPECT_EQ(result_from_json(json.dump(), "r.json").provenance.gpus, "8 x NVIDIA H200");

  json["provenance"].erase("gpus");
  EXPECT_EQ(result_from_json(json.dump(), "r.json").provenance.gpus, std::nullopt);
}

TEST(ResultReader, BringsBackWhatPredictWhyAdds) {
  Row row = some_row();
  for (const Unit unit : {Unit::rate, Unit::time, Unit::bytes, Unit::fraction}) {
    row.sensitivity.push_back({{"link ib", 0.25, unit, "a data sheet"}, 0.1, -0.0625, 0.125});
  }
  row.cell.is_chosen = true;
  row.cell.channels_are_chosen = true;
  const std::string text = to_json(some_result({row}));

  const Row read = result_from_json(text, "r.json").rows.at(0);

  EXPECT_EQ(to_json(read), to_json(row));
  EXPECT_EQ(read.sensitivity.at(3).number.unit, Unit::fraction);
  EXPECT_EQ(read.sensitivity.at(3).when_raised, -0.0625);
  Json json = Json::parse(text);
  json["rows"][0]["sensitivity"][1].erase("value_s");
  EXPECT_EQ(refusal(json.dump()),
            "r.json: rows[0]: sensitivity[1]: value: missing (expected a number)");
}

TEST(ResultReader, NamesTheKeyThatIsMissing) {
  for (const std::string& key : row_keys) {
    Json json = right();
    json["rows"][1].erase(key);
    const bool optional = key == "segment_bytes" || key.starts_with("algbw") ||
                          key.starts_with("busbw") || key.starts_with("bottleneck") ||
                          key == "lower_bound_s" || key == "messages" || key == "channels" ||
                          key == "protocol" || key == "range_reason" || key == "found_by" ||
                          key == "time_error_bound" || key == "algorithm_chosen" || key == "nodes";
    const std::string said = refusal(json.dump());
    EXPECT_EQ(said.substr(0, 9 + 9 + key.size() + 9),
              optional ? "nothing was refused" : "r.json: rows[1]: " + key + ": missing ")
        << said;
  }
}

TEST(ResultReader, RefusesImpossibleValues) {
  EXPECT_EQ(refusal_of("kind", "broadcast"),
            "r.json: rows[1]: kind: \"broadcast\" (expected \"allreduce\" or \"training\")");
  EXPECT_EQ(refusal_of("ranks", 0), "r.json: rows[1]: ranks: 0 (expected 1 to 2147483647)");
  EXPECT_EQ(refusal_of("ranks", 2.5), "r.json: rows[1]: ranks: 2.5 (expected a whole number)");
  EXPECT_EQ(refusal_of("size_bytes", -4), "r.json: rows[1]: size_bytes: -4 (expected 0 or more)");
  EXPECT_EQ(refusal_of("time_s", -1), "r.json: rows[1]: time_s: -1 (expected 0 or more, finite)");
  EXPECT_EQ(refusal_of("time_s", "1"), "r.json: rows[1]: time_s: \"1\" (expected a number)");
  EXPECT_EQ(refusal_of("time_s", 0), "r.json: rows[1]: time_s: 0 (expected 1e-15 to 1e15)");
  EXPECT_EQ(refusal_of("time_s", 1e-300),
            "r.json: rows[1]: time_s: 1e-300 (expected 1e-15 to 1e15)");
  EXPECT_EQ(refusal_of("data_type", "float8"),
            "r.json: rows[1]: data_type: \"float8\" (expected float16, bfloat16, float32, float64, "
            "int32 or int64)");
  EXPECT_EQ(refusal_of("links", Json::array({1})),
            "r.json: rows[1]: links[0]: not an object (expected key: value pairs)");
  EXPECT_EQ(refusal_of("verified", nullptr),
            "r.json: rows[1]: verified: null (expected true or false)");
}

TEST(ResultReader, RefusesOtherFiles) {
  const std::string not_ours = " (expected a file that ringcast wrote with --output)";
  Json version = right();
  version["schema_version"] = 2;

  EXPECT_EQ(refusal("{"), "r.json: not JSON at byte 2" + not_ours);
  EXPECT_EQ(refusal(""), "r.json: not JSON at byte 1" + not_ours);
  EXPECT_EQ(refusal("{\"a\": NaN}"), "r.json: not JSON at byte 7" + not_ours);
  EXPECT_EQ(refusal("{\"a\": 1e999}"), "r.json: not JSON" + not_ours);
  EXPECT_EQ(refusal("[]"), "r.json: not an object (expected key: value pairs)");
  EXPECT_EQ(refusal("{}"), "r.json: schema_version: missing (expected a whole number)");
  EXPECT_EQ(refusal(version.dump()), "r.json: schema_version: 2 (expected 1)");
}

TEST(ResultReader, SaysThatAnAnswerHasNoRows) {
  Json json = right();
  json.erase("rows");
  EXPECT_EQ(refusal(json.dump()),
            "r.json: has no rows (expected a result of predict, measure or import, but not what "
            "--until-efficiency, compare or rings wrote)");
  const Json comparison{
      {"schema_version", 1}, {"mean_absolute_error", 0.1}, {"rows", Json::array()}};
  EXPECT_NE(
      refusal(comparison.dump()).find("r.json: has no rows but those of a comparison (expected"),
      std::string::npos);
}

}  // namespace
}  // namespace ringcast
