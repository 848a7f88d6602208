#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/report/some_comparison.hpp"

namespace ringcast {
namespace {

// 150/200 - 1 = -25 %; turned round, 200/150 - 1 = 33.3 %.
TEST(ComparisonText, SaysWhichSideIsSlower) {
  const std::vector<Row> fast{predicted_row(4, 1_MiB, 0.15)};
  const std::vector<Row> slow{predicted_row(4, 1_MiB, 0.2)};
  const std::string cell = "4 ranks, 1 MiB, ring, by-rank: ";
  EXPECT_EQ(worst_error(compare(predicted(fast), measured(slow))),
            cell + "the prediction is 25.0 % too fast");
  EXPECT_EQ(worst_error(compare(predicted(fast), predicted(slow))),
            cell + "the first is 25.0 % faster than the second");
  EXPECT_EQ(worst_error(compare(predicted(slow), predicted(fast))),
            cell + "the first is 33.3 % slower than the second");
}

TEST(ComparisonText, NamesTheFilesOfResultsThatAreCalledAlike) {
  const std::vector<Row> rows{predicted_row(4, 1_MiB, 0.1)};
  NamedResult other = predicted(rows);
  other.name = "q.json";
  const std::string scenario = other.result.provenance.scenario;
  EXPECT_NE(to_table(compare(predicted(rows), other))
                .find(scenario + ": p.json (predicted) against q.json (predicted)\n"),
            std::string::npos);
  EXPECT_NE(to_table(compare(predicted(rows), measured(rows)))
                .find(scenario + " (predicted) against m.log (measured"),
            std::string::npos);
}

TEST(ComparisonText, CountsTheTimesInTheBandsOfThePrediction) {
  Row inside = predicted_row(4, 1_MiB, 0.1);
  inside.band = {{Seconds{0.09}, Seconds{0.12}, "a link"}};
  Row outside = predicted_row(8, 1_MiB, 0.1);
  outside.band = {{Seconds{0.09}, Seconds{0.11}, "a link"}};
  const NamedResult slower = measured({predicted_row(2, 1_MiB, 0.12), predicted_row(4, 1_MiB, 0.12),
                                       predicted_row(8, 1_MiB, 0.12)});

  const std::string table =
      to_table(compare(predicted({predicted_row(2, 1_MiB, 0.1), inside, outside}), slower));

  EXPECT_NE(table.find("  90.000-120.000  "), std::string::npos) << table;
  EXPECT_NE(table.find("# 1 of 2 times are in the band of the prediction\n"), std::string::npos)
      << table;
  EXPECT_EQ(to_table(compare(slower, slower)).find("band"), std::string::npos);
}

// 0.11 s is in the band of 0.1 s, and the bands of 0.1 s and 0.14 s meet; those of 0.2 s do not.
TEST(ComparisonText, ShowsAndCountsTheBandsOfBothPredictions) {
  const auto with_band = [](int ranks, double time, double low, double high) {
    Row row = predicted_row(ranks, 1_MiB, time);
    row.band = {{Seconds{low}, Seconds{high}, "a link"}};
    return row;
  };
  const NamedResult first = predicted({with_band(2, 0.1, 0.09, 0.12), with_band(4, 0.1, 0.09, 0.12),
                                       with_band(8, 0.1, 0.09, 0.12)});
  const NamedResult second =
      predicted({predicted_row(2, 1_MiB, 0.11), with_band(4, 0.14, 0.12, 0.15),
                 with_band(8, 0.2, 0.18, 0.22)});

  const std::string table = to_table(compare(first, second));

  EXPECT_NE(table.find("first band ms  second ms   second band ms  difference"), std::string::npos)
      << table;
  EXPECT_NE(table.find("# 2 of 3 pairs of bands overlap\n"), std::string::npos) << table;
  const NamedResult without = predicted({predicted_row(2, 1_MiB, 0.11)});
  EXPECT_NE(to_table(compare(without, first)).find("# 1 of 1 times are in the band"),
            std::string::npos);
}

TEST(ComparisonText, ShowsProtocolsAndChannelsThatDiffer) {
  Row low = predicted_row(4, 1_MiB, 0.1);
  low.cell.protocol = "LL";
  Row high = low;
  high.cell.protocol = "LL128";
  const auto chosen = [](Row row) {
    row.cell.channels_are_chosen = true;
    return row;
  };
  high.cell.size = 2_MiB;
  high.cell.channels = 3;
  const NamedResult both = predicted({low, high});
  const std::string table = to_table(compare(both, both));
  EXPECT_NE(table.find("ring/LL  "), std::string::npos) << table;
  EXPECT_NE(table.find("ring/LL128  "), std::string::npos) << table;
  EXPECT_NE(table.find("  channels  "), std::string::npos) << table;
  const NamedResult choices = predicted({chosen(low), chosen(high)});
  EXPECT_EQ(to_table(compare(choices, choices)).find("channels"), std::string::npos);
}

// busbw of 4 ranks: 2 x 3/4 x 1048576/0.11 = 14.3 MB/s and 15.7 MB/s.
TEST(ComparisonText, PrintsALinePerCell) {
  const Comparison comparison =
      compare(predicted({predicted_row(4, 1_MiB, 0.110), predicted_row(8, 2_MiB, 0.150)}),
              measured({logged_row(4, 1_MiB, 0.100), logged_row(8, 2_MiB, 0.200)}));
  const std::string table = to_table(comparison);

  EXPECT_EQ(table.substr(table.find(": ")),
            ": example (predicted) against m.log (measured with nccl-tests)\n"
            "#  ranks   size  predicted ms  measured ms    error  predicted busbw GB/s  measured "
            "busbw GB/s\n"
            "       4  1 MiB       110.000      100.000  +10.0 %                0.0143             "
            "  0.0157\n"
            "       8  2 MiB       150.000      200.000  -25.0 %                0.0245             "
            "  0.0184\n"
            "# mean absolute error 17.5 %, worst -25.0 % at 8 ranks, 2 MiB, ring, by-rank\n");
}

TEST(ComparisonText, OfTwoPredictionsCallsNeitherMeasured) {
  const NamedResult slow = predicted({predicted_row(4, 1_MiB, 0.110)});
  const std::string table = to_table(compare(slow, predicted({predicted_row(4, 1_MiB, 0.100)})));

  EXPECT_NE(table.find("  first ms  second ms  difference  first busbw GB/s  second busbw GB/s\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("# mean absolute difference 10.0 %, worst +10.0 % at"), std::string::npos);
}

// busbw of 4 ranks: 1.5 x 1048576/0.125 = 12582912 B/s and 1.5 x 1048576/0.1 = 15728640 B/s.
TEST(ComparisonText, WritesTheSameKeysAsCsvAndJson) {
  const Comparison comparison =
      compare(predicted({predicted_row(4, 1_MiB, 0.125), predicted_row(4, 2_MiB, 0.125)}),
              measured({logged_row(4, 1_MiB, 0.1)}));

  const auto json = nlohmann::ordered_json::parse(to_json(comparison));

  EXPECT_EQ(json["rows"][0]["relative_error"], 0.25);
  EXPECT_EQ(json["rows"][0]["predicted_busbw_bytes_per_s"], 12'582'912.0);
  EXPECT_EQ(json["rows"][0]["measured_busbw_bytes_per_s"], 15'728'640.0);
  EXPECT_EQ(json["mean_absolute_error"], 0.25);
  EXPECT_EQ(json["only_predicted"], 1);
  EXPECT_EQ(json["only_measured"], 0);
  EXPECT_EQ(json["measured"]["simulated"], false);
  EXPECT_EQ(to_csv(comparison).substr(0, 91),
            "kind,ranks,size_bytes,algorithm,data_type,reduction,ring_order,channels,"
            "predicted_time_s,me");
}

TEST(ComparisonText, WritesTheBandsAsNumbers) {
  Row banded = predicted_row(4, 1_MiB, 0.125);
  banded.band = {{Seconds{0.1}, Seconds{0.15}, "a link"}};
  const Comparison comparison = compare(predicted({predicted_row(2, 1_MiB, 0.125), banded}),
                                        predicted({banded, predicted_row(2, 1_MiB, 0.125)}));

  const auto json = nlohmann::ordered_json::parse(to_json(comparison));

  EXPECT_EQ(json["rows"][1]["predicted_band_low_s"], 0.1);
  EXPECT_EQ(json["rows"][1]["measured_band_high_s"], 0.15);
  EXPECT_EQ(json["rows"][0]["measured_band_low_s"], nullptr);
  const std::string csv = to_csv(comparison);
  EXPECT_NE(csv.find(",predicted_band_low_s,predicted_band_high_s,measured_band_low_s,"
                     "measured_band_high_s\r\n"),
            std::string::npos);
  EXPECT_NE(csv.find(",,,,\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0.1,0.15,0.1,0.15\r\n"), std::string::npos) << csv;
}

TEST(ComparisonText, WritesTheProtocolAsTheTableDoes) {
  Row chosen = predicted_row(4, 1_MiB, 0.125);
  chosen.cell.protocol = "LL";
  const Comparison comparison = compare(predicted({chosen}), measured({logged_row(4, 1_MiB, 0.1)}));

  const auto json = nlohmann::ordered_json::parse(to_json(comparison));

  EXPECT_EQ(json["rows"][0]["algorithm"], "ring/LL");
  EXPECT_NE(to_csv(comparison).find(",ring/LL,"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
