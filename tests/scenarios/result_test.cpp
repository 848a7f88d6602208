#include "scenarios/result.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/error.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// 4 ranks, 1.2 GB in 0.3 s: algbw 4 GB/s, busbw 4 GB/s x 2 x 3/4 = 6 GB/s.
AllreduceRow some_row() {
  AllreduceRow row;
  row.cell = {4, Bytes{1'200'000'000}, "ring", {}, "ideal", "by-rank", 2, 4_MiB};
  row.time = Seconds{0.3};
  row.time_min = Seconds{0.25};
  row.time_max = Seconds{0.5};
  row.verified = true;
  row.lower_bound = Seconds{0.1};
  row.lower_bound_reason = "the ports of 4 ranks";
  row.messages = 24;
  row.sent_per_rank = Bytes{1'800'000'000};
  row.busiest = {{"a -> b", "pcie-3.0-x16", 10_GBps, Bytes{1'500'000'000}, 0.5},
                 {"b -> c", "custom", 20_GBps, Bytes{1'200'000'000}, 0.2}};
  return row;
}

Result some_result(std::vector<AllreduceRow> rows) {
  Result result;
  result.provenance = {"v1.2-3-gabcdef0",
                       "example",
                       "some/example.yaml",
                       std::string(64, 'a'),
                       "two nodes",
                       "simgrid",
                       "host",
                       "2024-02-29T23:59:59Z",
                       true};
  result.rows = std::move(rows);
  return result;
}

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

std::vector<std::string> lines_of(const std::string& text, std::string_view end) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t next = text.find(end); next != std::string::npos; next = text.find(end, at)) {
    lines.push_back(text.substr(at, next - at));
    at = next + end.size();
  }
  EXPECT_EQ(at, text.size()) << "no end of line at the end";
  return lines;
}

const std::vector<std::string> row_keys{"kind",
                                        "ranks",
                                        "size_bytes",
                                        "algorithm",
                                        "data_type",
                                        "reduction",
                                        "transport",
                                        "ring_order",
                                        "channels",
                                        "segment_bytes",
                                        "time_s",
                                        "time_min_s",
                                        "time_max_s",
                                        "algbw_bytes_per_s",
                                        "busbw_bytes_per_s",
                                        "verified",
                                        "lower_bound_s",
                                        "lower_bound_reason",
                                        "messages",
                                        "sent_per_rank_bytes",
                                        "bottleneck",
                                        "bottleneck_utilisation",
                                        "links"};

TEST(ResultJson, HasTheDocumentedKeys) {
  Result result = some_result({some_row()});
  result.failures.push_back({some_row().cell, "out of luck", 4});

  const Json json = parsed(result);

  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"schema_version", "provenance", "rows", "failures"}));
  EXPECT_EQ(
      keys_of(json["provenance"]),
      (std::vector<std::string>{"program_version", "scenario", "scenario_file", "scenario_sha256",
                                "cluster", "backend", "host", "started_at", "simulated"}));
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

TEST(ResultJson, HasNullWhereThereIsNothing) {
  AllreduceRow row = some_row();
  row.cell.segment_size.reset();
  row.busiest.clear();

  const Json json = parsed(some_result({row}))["rows"][0];

  EXPECT_TRUE(json["segment_bytes"].is_null());
  EXPECT_TRUE(json["bottleneck"].is_null());
  EXPECT_EQ(json["links"], Json::array());
}

TEST(ResultJson, OfNothingHasNoRows) {
  const Json json = parsed(some_result({}));

  EXPECT_EQ(json["rows"], Json::array());
  EXPECT_EQ(json["failures"], Json::array());
}

TEST(ResultJson, OfOneRankHasNoBusBandwidth) {
  AllreduceRow row = some_row();
  row.cell.ranks = 1;
  row.time = row.time_min = row.time_max = Seconds{0};

  const Json json = parsed(some_result({row}))["rows"][0];

  EXPECT_EQ(json["algbw_bytes_per_s"], 0.0);
  EXPECT_EQ(json["busbw_bytes_per_s"], 0.0);
}

TEST(ResultJson, RefusesWhatIsNoNumber) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    std::vector<AllreduceRow> rows(6, some_row());
    rows[0].time = Seconds{value};
    rows[1].time_min = Seconds{value};
    rows[2].time_max = Seconds{value};
    rows[3].lower_bound = Seconds{value};
    rows[4].busiest[1].utilisation = value;
    rows[5].busiest[1].bandwidth = BytesPerSecond{value};

    for (const AllreduceRow& row : rows) {
      EXPECT_THROW(static_cast<void>(to_json(some_result({row}))), ContractViolation);
      EXPECT_THROW(static_cast<void>(to_json(row)), ContractViolation);
    }
  }
}

// A file's name is any bytes; a long run must not be lost for it.
TEST(ResultJson, ReplacesWhatIsNoUtf8) {
  Result result = some_result({some_row()});
  result.provenance.scenario_file =
      "gr\xfc\xdf"
      "e.yaml";
  result.failures.push_back({some_row().cell,
                             "gr\xfc\xdf"
                             "e.yaml: broken",
                             4});

  const Json json = parsed(result);

  EXPECT_EQ(json["provenance"]["scenario_file"],
            "gr\xef\xbf\xbd\xef\xbf\xbd"
            "e.yaml");
  EXPECT_EQ(json["failures"][0]["error"],
            "gr\xef\xbf\xbd\xef\xbf\xbd"
            "e.yaml: broken");
}

TEST(ResultJson, KeepsAllDigitsOfARow) {
  AllreduceRow row = some_row();
  row.time = Seconds{0.1 + 0.2};
  row.time_min = Seconds{std::numeric_limits<double>::denorm_min()};
  row.time_max = Seconds{std::numeric_limits<double>::max()};
  row.lower_bound = Seconds{1.0 / 3.0};
  row.messages = std::numeric_limits<std::uint64_t>::max();
  row.sent_per_rank = Bytes{(1ULL << 53U) + 1};
  row.busiest[0].utilisation = 0.1 + 0.7;

  const AllreduceRow read = row_from_json(to_json(row));

  EXPECT_EQ(read.time, row.time);
  EXPECT_EQ(read.time_min, row.time_min);
  EXPECT_EQ(read.time_max, row.time_max);
  EXPECT_EQ(read.lower_bound, row.lower_bound);
  EXPECT_EQ(read.messages, row.messages);
  EXPECT_EQ(read.sent_per_rank, row.sent_per_rank);
  EXPECT_EQ(read.busiest[0].utilisation, row.busiest[0].utilisation);
  EXPECT_EQ(to_json(read), to_json(row));
}

TEST(ResultJson, BringsEveryPartOfARowBack) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      AllreduceRow row = some_row();
      row.cell.reduction = {type, operation};
      row.cell.segment_size.reset();
      row.cell.ring_order = "my \"own\"\n\xe2\x88\x9e";

      const AllreduceRow read = row_from_json(to_json(row));

      EXPECT_EQ(read.cell.reduction.type, type);
      EXPECT_EQ(read.cell.reduction.operation, operation);
      EXPECT_EQ(read.cell.segment_size, std::nullopt);
      EXPECT_EQ(read.cell.ring_order, row.cell.ring_order);
      EXPECT_EQ(to_json(read), to_json(row));
    }
  }
}

TEST(ResultCsv, HasTheRowsKeysAsColumns) {
  AllreduceRow row = some_row();
  row.cell.segment_size.reset();

  const std::vector<std::string> lines = lines_of(to_csv(some_result({row, row})), "\r\n");

  ASSERT_EQ(lines.size(), 3U);
  std::string expected;
  for (const std::string& key : row_keys) {
    expected += key == "links" ? "" : (expected.empty() ? "" : ",") + key;
  }
  EXPECT_EQ(lines[0], expected);
  EXPECT_EQ(lines[1],
            "allreduce,4,1200000000,ring,float32,sum,ideal,by-rank,2,,0.3,0.25,0.5,4000000000.0,"
            "6000000000.0,true,0.1,the ports of 4 ranks,24,1800000000,a -> b,0.5");
  EXPECT_EQ(lines[2], lines[1]);
}

TEST(ResultCsv, QuotesWhatWouldEndAField) {
  AllreduceRow row = some_row();
  row.cell.transport = "a,b";
  row.cell.ring_order = "my \"own\"";
  row.lower_bound_reason = "two\nlines";
  row.busiest[0].name = "carriage\rreturn";

  const std::string csv = to_csv(some_result({row}));

  EXPECT_NE(csv.find(",\"a,b\","), std::string::npos);
  EXPECT_NE(csv.find(",\"my \"\"own\"\"\","), std::string::npos);
  EXPECT_NE(csv.find(",\"two\nlines\","), std::string::npos);
  EXPECT_NE(csv.find(",\"carriage\rreturn\","), std::string::npos);
}

TEST(ResultCsv, OfNothingIsEmpty) {
  EXPECT_EQ(to_csv(some_result({})), "");
}

// 1 GiB in 0.5 s: algbw 2.147 GB/s, busbw 2.147 x 2 x 15/16 = 4.027 GB/s.
TEST(ResultTable, LaysNumbersOutInColumns) {
  AllreduceRow large = some_row();
  large.cell.ranks = 16;
  large.cell.size = 1_GiB;
  large.time = Seconds{0.5};
  large.busiest[0] = {"a longer name -> b", "custom", 10_GBps, 1_GiB, 1.0};

  EXPECT_EQ(
      to_table(some_result({some_row(), large})),
      "# ringcast v1.2-3-gabcdef0: example, predicted with simgrid\n"
      "# ring sum of float32, transport ideal, 2 channels, segments of 4 MiB\n"
      "#  ranks    size  time ms  algbw GB/s  busbw GB/s  bound ms   busy  bottleneck\n"
      "       4  1.2 GB  300.000       4.000       6.000   100.000   50 %  a -> b\n"
      "      16   1 GiB  500.000       2.147       4.027   100.000  100 %  a longer name -> b\n");
}

TEST(ResultTable, HasAColumnForWhatVaries) {
  AllreduceRow other_ring = some_row();
  other_ring.cell.ring_order = "interleaved";
  AllreduceRow other_algorithm = some_row();
  other_algorithm.cell.algorithm = "tree";

  const std::string same = to_table(some_result({some_row(), some_row()}));
  const std::string rings = to_table(some_result({some_row(), other_ring}));
  const std::string algorithms = to_table(some_result({some_row(), other_algorithm}));

  EXPECT_EQ(same.find("ring order"), std::string::npos);
  EXPECT_EQ(same.find("algorithm"), std::string::npos);
  EXPECT_NE(rings.find("   ring order  "), std::string::npos);
  EXPECT_NE(rings.find("  interleaved  "), std::string::npos);
  EXPECT_NE(algorithms.find("  algorithm  "), std::string::npos);
  EXPECT_NE(algorithms.find("       tree  "), std::string::npos);
}

TEST(ResultTable, SaysWholeChunksAndOneChannel) {
  AllreduceRow row = some_row();
  row.cell.channels = 1;
  row.cell.segment_size.reset();
  row.busiest.clear();
  Result result = some_result({row});
  result.provenance.simulated = false;
  result.provenance.backend = "mpi";

  EXPECT_EQ(to_table(result),
            "# ringcast v1.2-3-gabcdef0: example, measured with mpi\n"
            "# ring sum of float32, transport ideal, 1 channel, whole chunks\n"
            "#  ranks    size  time ms  algbw GB/s  busbw GB/s  bound ms  busy  bottleneck\n"
            "       4  1.2 GB  300.000       4.000       6.000   100.000     -  -\n");
}

TEST(ResultTable, OfNothingIsItsTitle) {
  EXPECT_EQ(to_table(some_result({})),
            "# ringcast v1.2-3-gabcdef0: example, predicted with simgrid\n");
}

TEST(Cell, ReadsAsALine) {
  EXPECT_EQ(to_text(some_row().cell), "4 ranks, 1.2 GB, ring, by-rank");
}

}  // namespace
}  // namespace ringcast
