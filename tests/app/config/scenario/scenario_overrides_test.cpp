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
  const Scenario scenario = read_with(folder,
                                      {.ranks = "2,4",
                                       .sizes = "0,1KiB,64 MiB",
                                       .algorithm = "ring",
                                       .ring = "reversed,interleaved",
                                       .channels = "3",
                                       .segment_size = "1 MiB",
                                       .data_type = "float64"},
                                      by_order);

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

  EXPECT_EQ(read_with(folder, {.min = "4B", .max = "1 KiB", .factor = "10"}).sizes,
            (std::vector<Bytes>{4_B, 40_B, 400_B}));
}

TEST(Overrides, AnOrderMayComeFromTheCommandLine) {
  const TemporaryFolder folder;
  const Scenario scenario = read_with(folder, {.ranks = "3", .ring = "2,0,1"});

  EXPECT_EQ(scenario.ring_orders[0].given[0], (std::vector<Rank>{Rank{2}, Rank{0}, Rank{1}}));
}

TEST(Overrides, WholeChunksAgain) {
  const TemporaryFolder folder;

  EXPECT_FALSE(
      read_with(folder, {.segment_size = "whole"}, by_rule + "segment_size: 1 MiB\n").segment_size);
}

TEST(OverrideErrors, Ranks) {
  EXPECT_EQ(refusal({.ranks = "8,9"}), "--ranks: 9 ranks, but the cluster has 8 (expected 1 to 8)");
  EXPECT_EQ(refusal({.ranks = "8,"}),
            "--ranks: an empty text (expected a whole number from 1 to 1000000)");
  EXPECT_EQ(refusal({.ranks = "8,8"}), "--ranks: 8 is repeated (expected each value once)");
}

TEST(OverrideErrors, RanksThatDoNotSuitTheFilesOrder) {
  EXPECT_EQ(refusal({.ranks = "4"}, by_order),
            "--ranks: 4 ranks, but the ring order is one of 8 (expected 8, or another --ring)");
}

TEST(OverrideErrors, ChannelsThatDoNotSuitTheFilesOrders) {
  EXPECT_EQ(refusal({.channels = "3"},
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nranks: 2\n"
                    "sizes: 4 B\nchannels: 2\n"
                    "ring_order: {name: own, channels: [[0, 1], [1, 0]]}\n"),
            "--channels: 3, but the ring order is one for 2 (expected 2, or another --ring)");
}

TEST(OverrideErrors, OneOfSeveralChannelsThatDoesNotSuitTheFilesOrders) {
  EXPECT_EQ(refusal({.channels = "2,8"},
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nranks: 2\nsizes: 4 B\n"
                    "ring_order: {name: own, channels: [[0, 1], [1, 0]]}\n"),
            "--channels: 8, but the ring order is one for 2 (expected 2, or another --ring)");
}

TEST(OverrideErrors, Sizes) {
  EXPECT_EQ(refusal({.sizes = "64"}),
            "--sizes: no unit in \"64\" (expected a size such as 64 MiB or 1.2 GB)");
  EXPECT_EQ(refusal({.sizes = "6B"}),
            "--sizes: 6B is not a whole number of elements (expected a multiple of 4 bytes, the "
            "size of a float32)");
  EXPECT_EQ(refusal({.sizes = "6B", .min = "1KiB"}),
            "--sizes: given together with a series (expected either --sizes, or --min, --max and "
            "--factor)");
}

TEST(OverrideErrors, Series) {
  EXPECT_EQ(refusal({.min = "1KiB"}), "--max: missing (expected a size, e.g. 1 GiB)");
  EXPECT_EQ(refusal({.min = "1KiB", .max = "4B"}),
            "--max: an empty series (expected at least the minimum, 1KiB)");
  EXPECT_EQ(refusal({.min = "1KiB", .max = "4KiB", .factor = "0"}),
            "--factor: 0 is out of range (expected a whole number from 2 to 1024)");
  EXPECT_EQ(refusal({.max = "4KiB", .factor = "0"}),
            "--min: missing (expected a size, e.g. 1 KiB)");
}

TEST(OverrideErrors, Ranges) {
  // The example doubles from the first end to the last.
  EXPECT_EQ(refusal({.ranks = "8..64"}),
            "--ranks: \"8..64\" is a range (expected each number: 8,16,32,64)");
  EXPECT_EQ(refusal({.ranks = "2-8"}), "--ranks: \"2-8\" is a range (expected each number: 2,4,8)");
  EXPECT_EQ(refusal({.sizes = "1-4MB"}),
            "--sizes: \"1-4MB\" is a range (expected each size, 1MB,4MB; or a series: --min 1MB "
            "--max 4MB)");
  EXPECT_EQ(refusal({.sizes = "64mb"}),
            "--sizes: unknown unit \"mb\" in \"64mb\", did you mean \"64 MB\"? (expected a size "
            "such as 64 MiB or 1.2 GB)");
}

TEST(OverrideErrors, ARangeWithoutAnEndIsShortToo) {
  EXPECT_LT(refusal({.ranks = "1..99999999999999999999"}).size(), 300U);
}

TEST(Overrides, MayHaveBlanksBetweenThem) {
  const TemporaryFolder folder;

  EXPECT_EQ(read_with(folder, {.ranks = "2, 4"}).ranks, (std::vector<int>{2, 4}));
}

TEST(OverrideErrors, Names) {
  EXPECT_EQ(refusal({.ring = "by-rnak"}),
            "--ring: unknown rule \"by-rnak\", did you mean \"by-rank\"? (expected by-rank, "
            "reversed, interleaved, shuffled, nccl or searched)");
  EXPECT_EQ(refusal({.data_type = "double"}),
            "--data-type: unknown data type \"double\" (expected float16, bfloat16, float32, "
            "float64, int32 or int64)");
  EXPECT_EQ(refusal({.segment_size = "-1 MiB"}),
            "--segment-size: negative size \"-1 MiB\" (expected a size such as 64 MiB or 1.2 GB)");
  EXPECT_EQ(refusal({.channels = "0"}),
            "--channels: 0 is out of range (expected a whole number from 1 to 1024)");
}

TEST(OverrideErrors, ADataTypeThatTheFilesSizesDoNotSuit) {
  EXPECT_EQ(refusal({.data_type = "float64"},
                    "cluster: cluster.yaml\ntransport: {name: t, source: invented, "
                    "message_overhead: 0 us}\nsizes: 12 B\n"),
            "scenario.yaml:3:8: sizes: 12 B is not a whole number of elements (expected a multiple "
            "of 8 bytes, the size of a float64)");
}

}  // namespace
}  // namespace ringcast
