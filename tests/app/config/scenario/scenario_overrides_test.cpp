#include <string>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const std::string by_rule = R"(name: test
cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: 8
sizes: 64 MiB
)";
const std::string by_order = by_rule + "ring_order: [7, 6, 5, 4, 3, 2, 1, 0]\n";

Scenario read_with(const TemporaryFolder& folder, const ScenarioOverrides& overrides,
                   const std::string& text = by_rule) {
  folder.write("cluster.yaml", eight_gpus);
  folder.write("scenario.yaml", text);
  return read_scenario(folder / "scenario.yaml", overrides);
}

std::string refusal(const ScenarioOverrides& overrides, const std::string& text = by_rule) {
  const TemporaryFolder folder;
  return message_of(folder, [&] { return read_with(folder, overrides, text); });
}

TEST(Overrides, ReplaceWhatTheFileSays) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.ranks = "2,4";
  overrides.sizes = "0,1KiB,64 MiB";
  overrides.algorithm = "ring";
  overrides.ring = "reversed,interleaved";
  overrides.channels = "3";
  overrides.segment_size = "1 MiB";
  overrides.data_type = "float64";
  const Scenario scenario = read_with(folder, overrides, by_order);

  EXPECT_EQ(scenario.ranks, (std::vector<int>{2, 4}));
  EXPECT_EQ(scenario.sizes, (std::vector<Bytes>{0_B, 1_KiB, 64_MiB}));
  EXPECT_EQ(scenario.ring_orders.size(), 2U);
  EXPECT_EQ(scenario.ring_orders[1].name, "interleaved");
  EXPECT_EQ(scenario.channels, std::vector{3});
  EXPECT_EQ(scenario.segment_size, 1_MiB);
  EXPECT_EQ(scenario.reduction.type, ElementType::float64);
}

TEST(Overrides, ASeriesGrowsByItsFactor) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.min = "4B";
  overrides.max = "1 KiB";
  overrides.factor = "10";

  EXPECT_EQ(read_with(folder, overrides).sizes, (std::vector<Bytes>{4_B, 40_B, 400_B}));
}

TEST(Overrides, AnOrderMayComeFromTheCommandLine) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.ranks = "3";
  overrides.ring = "2,0,1";
  const Scenario scenario = read_with(folder, overrides);

  EXPECT_EQ(scenario.ring_orders[0].given[0], (std::vector<Rank>{Rank{2}, Rank{0}, Rank{1}}));
}

TEST(Overrides, WholeChunksAgain) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.segment_size = "whole";

  EXPECT_FALSE(read_with(folder, overrides, by_rule + "segment_size: 1 MiB\n").segment_size);
}

TEST(OverrideErrors, Ranks) {
  ScenarioOverrides overrides;
  overrides.ranks = "8,9";
  EXPECT_EQ(refusal(overrides), "--ranks: 9 ranks, but the cluster has 8 (expected 1 to 8)");
  overrides.ranks = "8,";
  EXPECT_EQ(refusal(overrides),
            "--ranks: an empty text (expected a whole number from 1 to 1000000)");
  overrides.ranks = "8,8";
  EXPECT_EQ(refusal(overrides), "--ranks: 8 is repeated (expected each value once)");
}

TEST(OverrideErrors, RanksThatDoNotSuitTheFilesOrder) {
  ScenarioOverrides overrides;
  overrides.ranks = "4";

  EXPECT_EQ(refusal(overrides, by_order),
            "--ranks: 4 ranks, but the ring order is one of 8 (expected 8, or another --ring)");
}

TEST(OverrideErrors, ChannelsThatDoNotSuitTheFilesOrders) {
  ScenarioOverrides overrides;
  overrides.channels = "3";

  EXPECT_EQ(refusal(overrides,
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nranks: 2\n"
                    "sizes: 4 B\nchannels: 2\n"
                    "ring_order: {name: own, channels: [[0, 1], [1, 0]]}\n"),
            "--channels: 3, but the ring order is one for 2 (expected 2, or another --ring)");
}

TEST(OverrideErrors, OneOfSeveralChannelsThatDoesNotSuitTheFilesOrders) {
  ScenarioOverrides overrides;
  overrides.channels = "2,8";

  EXPECT_EQ(refusal(overrides,
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nranks: 2\nsizes: 4 B\n"
                    "ring_order: {name: own, channels: [[0, 1], [1, 0]]}\n"),
            "--channels: 8, but the ring order is one for 2 (expected 2, or another --ring)");
}

TEST(OverrideErrors, Sizes) {
  ScenarioOverrides overrides;
  overrides.sizes = "64";
  EXPECT_EQ(refusal(overrides),
            "--sizes: no unit in \"64\" (expected a size such as 64 MiB or 1.2 GB)");
  overrides.sizes = "6B";
  EXPECT_EQ(refusal(overrides),
            "--sizes: 6B is not a whole number of elements (expected a multiple of 4 bytes, the "
            "size of a float32)");
  overrides.min = "1KiB";
  EXPECT_EQ(refusal(overrides),
            "--sizes: given together with a series (expected either --sizes, or --min, --max and "
            "--factor)");
}

TEST(OverrideErrors, Series) {
  ScenarioOverrides overrides;
  overrides.min = "1KiB";
  EXPECT_EQ(refusal(overrides), "--max: missing (expected a size, e.g. 1 GiB)");
  overrides.max = "4B";
  EXPECT_EQ(refusal(overrides), "--max: an empty series (expected at least the minimum, 1KiB)");
  overrides.max = "4KiB";
  overrides.factor = "0";
  EXPECT_EQ(refusal(overrides),
            "--factor: 0 is out of range (expected a whole number from 2 to 1024)");
  overrides.min.reset();
  EXPECT_EQ(refusal(overrides), "--min: missing (expected a size, e.g. 1 KiB)");
}

TEST(OverrideErrors, Ranges) {
  ScenarioOverrides overrides;
  // The example doubles from the first end to the last.
  overrides.ranks = "8..64";
  EXPECT_EQ(refusal(overrides), "--ranks: \"8..64\" is a range (expected each number: 8,16,32,64)");
  overrides.ranks = "2-8";
  EXPECT_EQ(refusal(overrides), "--ranks: \"2-8\" is a range (expected each number: 2,4,8)");
  overrides = {};
  overrides.sizes = "1-4MB";
  EXPECT_EQ(refusal(overrides),
            "--sizes: \"1-4MB\" is a range (expected each size, 1MB,4MB; or a series: --min 1MB "
            "--max 4MB)");
  overrides.sizes = "64mb";
  EXPECT_EQ(refusal(overrides),
            "--sizes: unknown unit \"mb\" in \"64mb\", did you mean \"64 MB\"? (expected a size "
            "such as 64 MiB or 1.2 GB)");
}

TEST(OverrideErrors, ARangeWithoutAnEndIsShortToo) {
  ScenarioOverrides overrides;
  overrides.ranks = "1..99999999999999999999";

  EXPECT_LT(refusal(overrides).size(), 300U);
}

TEST(Overrides, MayHaveBlanksBetweenThem) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.ranks = "2, 4";

  EXPECT_EQ(read_with(folder, overrides).ranks, (std::vector<int>{2, 4}));
}

TEST(OverrideErrors, Names) {
  ScenarioOverrides overrides;
  overrides.ring = "by-rnak";
  EXPECT_EQ(refusal(overrides),
            "--ring: unknown rule \"by-rnak\", did you mean \"by-rank\"? (expected by-rank, "
            "reversed, interleaved, shuffled, nccl or searched)");
  overrides = {};
  overrides.data_type = "double";
  EXPECT_EQ(refusal(overrides),
            "--data-type: unknown data type \"double\" (expected float16, bfloat16, float32, "
            "float64, int32 or int64)");
  overrides = {};
  overrides.segment_size = "-1 MiB";
  EXPECT_EQ(refusal(overrides),
            "--segment-size: negative size \"-1 MiB\" (expected a size such as 64 MiB or 1.2 GB)");
  overrides = {};
  overrides.channels = "0";
  EXPECT_EQ(refusal(overrides),
            "--channels: 0 is out of range (expected a whole number from 1 to 1024)");
}

TEST(OverrideErrors, ADataTypeThatTheFilesSizesDoNotSuit) {
  ScenarioOverrides overrides;
  overrides.data_type = "float64";

  EXPECT_EQ(refusal(overrides,
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nsizes: 12 B\n"),
            "scenario.yaml:3:8: sizes: 12 B is not a whole number of elements (expected a multiple "
            "of 8 bytes, the size of a float64)");
}

}  // namespace
}  // namespace ringcast
