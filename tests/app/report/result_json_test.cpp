#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"
#include "tests/app/report/some_result.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    keys.push_back(key);
  }
  return keys;
}

Json parsed(const Result& result) {
  return Json::parse(to_json(result));
}

TEST(ResultJson, HasTheDocumentedKeys) {
  Result result = some_result({some_row()});
  result.failures.push_back({some_row().cell, "out of luck", 4});

  const Json json = parsed(result);

  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"schema_version", "provenance", "rows", "failures"}));
  EXPECT_EQ(
      keys_of(json["provenance"]),
      (std::vector<std::string>{"program_version", "scenario", "scenario_file", "scenario_sha256",
                                "cluster", "backend", "host", "gpus", "started_at", "simulated"}));
  EXPECT_EQ(keys_of(json["rows"][0]), row_keys);
  EXPECT_EQ(keys_of(json["rows"][0]["links"][0]),
            (std::vector<std::string>{"name", "link_class", "bandwidth_bytes_per_s",
                                      "carried_bytes", "utilisation"}));
  EXPECT_EQ(keys_of(json["failures"][0]),
            (std::vector<std::string>{"kind", "ranks", "size_bytes", "algorithm", "data_type",
                                      "reduction", "transport", "ring_order", "channels",
                                      "segment_bytes", "error"}));
}

TEST(ResultJson, HasTheValuesInSiUnits) {
  const Json json = parsed(some_result({some_row()}));

  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["provenance"]["started_at"], "2024-02-29T23:59:59Z");
  EXPECT_EQ(json["provenance"]["simulated"], true);
  const Json& row = json["rows"][0];
  EXPECT_EQ(row["kind"], "allreduce");
  EXPECT_EQ(row["nodes"], 2);
  EXPECT_EQ(row["size_bytes"], 1'200'000'000);
  EXPECT_EQ(row["data_type"], "float32");
  EXPECT_EQ(row["reduction"], "sum");
  EXPECT_EQ(row["segment_bytes"], 4'194'304);
  EXPECT_EQ(row["time_s"], 0.3);
  EXPECT_EQ(row["time_min_s"], 0.25);
  EXPECT_EQ(row["time_max_s"], 0.5);
  EXPECT_DOUBLE_EQ(row["algbw_bytes_per_s"], 4e9);
  EXPECT_DOUBLE_EQ(row["busbw_bytes_per_s"], 6e9);
  EXPECT_EQ(row["verified"], true);
  EXPECT_EQ(row["bottleneck"], "a -> b");
  EXPECT_EQ(row["bottleneck_utilisation"], 0.5);
  EXPECT_EQ(row["links"][1]["carried_bytes"], 1'200'000'000);
}

TEST(ResultJson, HasTheSensitivityOfRowsThatWereExplained) {
  Row row = some_row();
  row.sensitivity = {{{"link ib bandwidth", 6e9, Unit::rate, "measured"}, 0.1, -0.09, 0.11},
                     {{"link ib latency", 1e-6, Unit::time, "a guess"}, 0.1, 0.01, -0.01},
                     {{"some size", 4096, Unit::bytes, ""}, 0.1, 0, 0},
                     {{"some part", 0.8, Unit::fraction, ""}, 0.1, 0, 0, "", "tree/LL"}};

  const Json json = parsed(some_result({row, some_row()}));

  const Json& first = json["rows"][0]["sensitivity"][0];
  EXPECT_EQ(keys_of(first), (std::vector<std::string>{
                                "name", "value_bytes_per_s", "change", "time_change_when_raised",
                                "time_change_when_lowered", "source", "algorithm_when_raised",
                                "algorithm_when_lowered"}));
  EXPECT_EQ(first["value_bytes_per_s"], 6e9);
  EXPECT_EQ(first["time_change_when_raised"], -0.09);
  EXPECT_EQ(first["time_change_when_lowered"], 0.11);
  EXPECT_EQ(json["rows"][0]["sensitivity"][1]["value_s"], 1e-6);
  EXPECT_EQ(json["rows"][0]["sensitivity"][2]["value_bytes"], 4096);
  EXPECT_EQ(json["rows"][0]["sensitivity"][3]["value"], 0.8);
  EXPECT_EQ(json["rows"][0]["sensitivity"][3]["algorithm_when_lowered"], "tree/LL");
  EXPECT_FALSE(json["rows"][1].contains("sensitivity"));
  EXPECT_EQ(to_json(row_from_json(to_json(row))), to_json(row));
  EXPECT_EQ(to_csv(some_result({row})), to_csv(some_result({some_row()})));
}

TEST(ResultCsv, HasTheBandAsColumns) {
  Row banded = some_row();
  banded.band = {{Seconds{0.25}, Seconds{0.5}, "a link"}};

  const std::string csv = to_csv(some_result({some_row(), banded}));

  EXPECT_NE(csv.find(",channels_chosen,nodes,band_low_s,band_high_s\r\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",false,2,,\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",false,2,0.25,0.5\r\n"), std::string::npos) << csv;
  EXPECT_EQ(to_csv(some_result({some_row()})).find("band_"), std::string::npos);
}

TEST(ResultJson, HasNullWhereThereIsNothing) {
  Row row = some_row();
  row.cell.segment_size.reset();
  row.busiest.clear();

  const Json json = parsed(some_result({row}))["rows"][0];

  EXPECT_TRUE(json["segment_bytes"].is_null());
  EXPECT_TRUE(json["bottleneck"].is_null());
  EXPECT_TRUE(json["bottleneck_utilisation"].is_null());
  EXPECT_EQ(json["links"], Json::array());
}

TEST(ResultJson, OfNothingHasNoRows) {
  const Json json = parsed(some_result({}));

  EXPECT_EQ(json["rows"], Json::array());
  EXPECT_EQ(json["failures"], Json::array());
}

TEST(ResultJson, OfOneRankHasNoBandwidths) {
  Row row = some_row();
  row.cell.ranks = 1;
  row.time = row.time_min = row.time_max = Seconds{0};

  const Json json = parsed(some_result({row}))["rows"][0];

  EXPECT_TRUE(json["algbw_bytes_per_s"].is_null());
  EXPECT_TRUE(json["busbw_bytes_per_s"].is_null());
}

TEST(ResultJson, RefusesWhatIsNoNumber) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    std::vector<Row> rows(6, some_row());
    rows[0].time = Seconds{value};
    rows[1].time_min = Seconds{value};
    rows[2].time_max = Seconds{value};
    rows[3].lower_bound = Seconds{value};
    rows[4].busiest[1].utilisation = value;
    rows[5].busiest[1].bandwidth = BytesPerSecond{value};

    for (const Row& row : rows) {
      EXPECT_THROW(static_cast<void>(to_json(some_result({row}))), ContractViolation);
      EXPECT_THROW(static_cast<void>(to_json(row)), ContractViolation);
    }
  }
}

// A file's name is any bytes; a long run must not be lost for it.
TEST(ResultJson, EscapesWhatIsNoUtf8) {
  Result result = some_result({some_row()});
  result.provenance.scenario_file =
      "gr\xfc\xdf"
      "e.yaml";
  result.failures.push_back({some_row().cell,
                             "gr\xfc\xdf"
                             "e.yaml: broken",
                             4});

  const Json json = parsed(result);

  EXPECT_EQ(json["provenance"]["scenario_file"], "gr\\xfc\\xdfe.yaml");
  EXPECT_EQ(json["failures"][0]["error"], "gr\\xfc\\xdfe.yaml: broken");
}

TEST(ResultJson, KeepsAllDigitsOfARow) {
  Row row = some_row();
  row.time = Seconds{0.1 + 0.2};
  row.time_min = Seconds{std::numeric_limits<double>::denorm_min()};
  row.time_max = Seconds{std::numeric_limits<double>::max()};
  row.lower_bound = Seconds{1.0 / 3.0};
  row.messages = std::numeric_limits<std::uint64_t>::max();
  row.sent_per_rank = Bytes{(1ULL << 53U) + 1};
  row.busiest[0].utilisation = 0.1 + 0.7;

  const Row read = row_from_json(to_json(row));

  EXPECT_EQ(read.time, row.time);
  EXPECT_EQ(read.time_min, row.time_min);
  EXPECT_EQ(read.time_max, row.time_max);
  EXPECT_EQ(read.lower_bound, row.lower_bound);
  EXPECT_EQ(read.messages, row.messages);
  EXPECT_EQ(read.sent_per_rank, row.sent_per_rank);
  EXPECT_EQ(read.busiest[0].utilisation, row.busiest[0].utilisation);
  EXPECT_EQ(to_json(read), to_json(row));
}

TEST(ResultJson, OfAnOutcomeHasNoCell) {
  const Row row = some_row();

  const std::string outcome = checked_outcome(row);

  EXPECT_FALSE(Json::parse(outcome).contains("ranks"));
  EXPECT_EQ(to_json(row_from_outcome(row.cell, outcome)), to_json(row));
}

TEST(ResultJson, BringsATrainingBack) {
  Row row = some_row();
  row.cell.training.emplace().model = "VGG-16";
  row.cell.training->gpu = "P100";
  row.cell.training->global_batch = 128;
  row.iteration = {.repetitions = 3,
                   .compute = Seconds{0.2},
                   .one_gpu_samples_per_s = 160,
                   .timeline = {{true, "bucket 1", {Seconds{0.1}, Seconds{0.3}}}}};

  const std::string text = to_json(row);
  const Row read = row_from_json(text);

  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.cell.training.value().gpu, "P100");
  EXPECT_EQ(read.iteration.value().timeline.at(0).time.end, Seconds{0.3});
  EXPECT_EQ(to_json(row_from_outcome(row.cell, checked_outcome(row))), text);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["kind"], "training");
  EXPECT_EQ(json["gradient_bytes"], 1'200'000'000);
  EXPECT_FALSE(json.contains("size_bytes"));
  EXPECT_EQ(json["iteration_s"], 0.3);
  EXPECT_DOUBLE_EQ(json["exposed_communication_s"], 0.1);
}

TEST(ResultJson, BringsEveryPartOfARowBack) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      Row row = some_row();
      row.cell.reduction = {type, operation};
      row.cell.segment_size.reset();
      row.cell.ring_order = "my \"own\"\n\xe2\x88\x9e";

      const Row read = row_from_json(to_json(row));

      EXPECT_EQ(read.cell.reduction.type, type);
      EXPECT_EQ(read.cell.reduction.operation, operation);
      EXPECT_EQ(read.cell.segment_size, std::nullopt);
      EXPECT_EQ(read.cell.ring_order, row.cell.ring_order);
      EXPECT_EQ(to_json(read), to_json(row));
    }
  }
}

}  // namespace
}  // namespace ringcast
