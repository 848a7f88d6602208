#include <string_view>

#include <gtest/gtest.h>

#include "tests/app/report/some_result.hpp"

namespace ringcast {
namespace {

// 1 GiB in 0.5 s: algbw 2.147 GB/s, busbw 2.147 x 2 x 15/16 = 4.027 GB/s.
TEST(ResultTable, LaysNumbersOutInColumns) {
  Row large = some_row();
  large.cell.ranks = 16;
  large.cell.size = 1_GiB;
  large.time = Seconds{0.5};
  large.busiest[0] = {"a longer name -> b", "custom", 10_GBps, 1_GiB, 1.0};

  EXPECT_EQ(
      to_table(some_result({some_row(), large})),
      "# ringcast v1.2-3-gabcdef0: example, predicted\n"
      "# ring sum of float32, transport ideal, 2 channels, segments of 4 MiB\n"
      "#  ranks    size  time ms  algbw GB/s  busbw GB/s  bound ms   busy  bottleneck\n"
      "       4  1.2 GB  300.000       4.000       6.000   100.000   50 %  a -> b\n"
      "      16   1 GiB  500.000       2.147       4.027   100.000  100 %  a longer name -> b\n");
}

// 8 B in 9.6 us: algbw 0.000833 GB/s, busbw of four ranks 1.5 times as much.
TEST(ResultTable, ShowsThreeDigitsOfSmallNumbersBelowTheLargeOnes) {
  Row small = some_row();
  small.cell.size = 8_B;
  small.time = Seconds{9.6e-6};
  small.lower_bound = Seconds{0};

  const std::string table = to_table(some_result({some_row(), small}));

  EXPECT_NE(
      table.find("    time ms  algbw GB/s  busbw GB/s  bound ms  busy  bottleneck\n"
                 "       4  1.2 GB  300.000      4.000        6.000     100.000  50 %  a -> b\n"
                 "       4     8 B    0.00960    0.000833     0.00125     0.000  50 %  a -> b"),
      std::string::npos)
      << table;
}

TEST(ResultTable, HasAColumnForWhatVaries) {
  Row other_ring = some_row();
  other_ring.cell.ring_order = "interleaved";
  Row other_algorithm = some_row();
  other_algorithm.cell.algorithm = "tree";

  const std::string same = to_table(some_result({some_row(), some_row()}));
  const std::string rings = to_table(some_result({some_row(), other_ring}));
  const std::string algorithms = to_table(some_result({some_row(), other_algorithm}));
  Row other_channels = some_row();
  other_channels.cell.channels = 8;
  const std::string channels = to_table(some_result({some_row(), other_channels}));

  EXPECT_EQ(same.find("ring order"), std::string::npos);
  EXPECT_EQ(same.find("algorithm"), std::string::npos);
  EXPECT_NE(rings.find("   ring order  "), std::string::npos);
  EXPECT_NE(rings.find("  interleaved  "), std::string::npos);
  EXPECT_NE(algorithms.find("  algorithm  "), std::string::npos);
  EXPECT_NE(algorithms.find("       tree  "), std::string::npos);
  EXPECT_NE(channels.find("  channels  "), std::string::npos);
  EXPECT_EQ(channels.find("2 channels"), std::string::npos);
}

TEST(ResultTable, SaysWhichAlgorithmWasChosenAndOnHowManyChannels) {
  Row row = some_row();
  row.cell.algorithm = "tree";
  row.cell.protocol = "LL128";
  row.cell.channels = 16;
  row.cell.segment_size.reset();
  row.cell.is_chosen = true;
  Row in_switches = row;
  in_switches.cell.algorithm = "in-switch";
  in_switches.cell.protocol = "Simple";

  EXPECT_EQ(to_table(some_result({row})),
            "# ringcast v1.2-3-gabcdef0: example, predicted\n"
            "# all-reduce sum of float32, transport ideal\n"
            "#  ranks    size        algorithm  time ms  algbw GB/s  busbw GB/s  bound ms  busy  "
            "bottleneck\n"
            "       4  1.2 GB  tree/LL128 x 16  300.000       4.000       6.000   100.000  50 %  a "
            "-> b\n");
  // Its sums are the switches', not those of channels.
  EXPECT_NE(to_table(some_result({in_switches})).find("  in-switch/Simple  "), std::string::npos);
  row.cell.channels.reset();
  EXPECT_NE(to_table(some_result({row})).find("  tree/LL128  "), std::string::npos);
}

TEST(ResultTable, MarksWhatWasChosenBesideNamedAlgorithms) {
  Row named = some_row();
  named.cell.channels = 1;
  Row chosen = named;
  chosen.cell.is_chosen = true;

  const std::string both = to_table(some_result({named, chosen}));
  const std::string alone = to_table(some_result({chosen}));

  EXPECT_NE(both.find("         ring x 1  "), std::string::npos) << both;
  EXPECT_NE(both.find("  ring x 1 (auto)  "), std::string::npos) << both;
  EXPECT_EQ(alone.find("(auto)"), std::string::npos) << alone;
}

TEST(ResultTable, CountsNoChannelsWhereNothingIsDividedAmongThem) {
  Row row = some_row();
  row.cell.algorithm = "in-switch";
  row.cell.channels = 2;
  Row ring = row;
  ring.cell.algorithm = "ring";

  EXPECT_EQ(to_table(some_result({row})).find("2 channels"), std::string::npos);
  EXPECT_NE(to_table(some_result({row, ring})).find("2 channels"), std::string::npos);
}

TEST(ResultTable, SaysThatChannelsChangeNothing) {
  Row row = some_row();
  row.cell.algorithm = "in-switch";
  row.cell.channels = 1;
  row.cell.is_chosen = true;
  Row other = row;
  other.cell.channels = 8;
  Row more = other;  // a larger job has more rings: not two requested numbers
  more.cell.ranks = 16;
  const std::string note = "# the number of channels changes nothing for in-switch\n";

  const std::string asked = to_table(some_result({row, other}));
  const std::string unasked = to_table(some_result({row, more}));

  EXPECT_TRUE(asked.ends_with(note) && asked.find("  channels  ") == asked.npos) << asked;
  EXPECT_EQ(unasked.find(note), std::string::npos) << unasked;
}

TEST(ResultTable, TellsTwoWayRingsOnSeveralChannelsApart) {
  Row row = some_row();
  row.cell.algorithm = "two-way-ring";
  row.cell.channels = 4;
  row.cell.is_chosen = true;

  EXPECT_NE(to_table(some_result({row})).find("  two-way-ring x 4  "), std::string::npos);
}

TEST(ResultTable, SaysWhichNicsCarryNothing) {
  Row row = some_row();
  row.idle_nics = {{true, 7, 8, "--channels 8"}};
  Row other = some_row();
  other.cell.size = 1_MiB;
  other.idle_nics = {{false, 1, 16, ""}};

  const std::string alike = to_table(some_result({row, row}));
  const std::string mixed = to_table(some_result({row, row, other}));

  EXPECT_TRUE(alike.ends_with("# 7 of 8 NICs of each node carry no traffic: --channels 8\n"));
  EXPECT_TRUE(
      mixed.ends_with("# 7 of 8 NICs of each node carry no traffic in 2 of 3 rows: --channels 8\n"
                      "# 1 of 16 NICs carries no traffic in 1 of 3 rows\n"));
}

TEST(ResultTable, RecommendsNoOptionsThatItCompares) {
  Row row = some_row();
  row.idle_nics = {{true, 7, 8, "--channels 8"}};
  Row other = some_row();
  other.cell.channels = 8;
  Row smaller = other;
  smaller.cell.size = 1_MiB;
  Row larger = other;
  larger.cell.ranks = 8;
  Row tree = other;
  tree.cell.algorithm = "tree";
  const std::string note = "# 7 of 8 NICs of each node carry no traffic in 1 of 2 rows";

  EXPECT_TRUE(to_table(some_result({row, other})).ends_with(note + "\n"));
  for (const Row& differs : {smaller, larger, tree})
    EXPECT_TRUE(to_table(some_result({row, differs})).ends_with(note + ": --channels 8\n"));

  Row fewer = other;
  fewer.idle_nics = {{true, 8, 16, ""}};
  EXPECT_EQ(to_table(some_result({row, fewer})).find("--channels"), std::string::npos);
}

TEST(ResultTable, SaysWholeChunksAndOneChannel) {
  Row row = some_row();
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

TEST(ResultTable, ShowsTheRangesOfRowsThatHaveOne) {
  Row range = some_row();
  range.range_reason = "messages share links";
  Row none = some_row();
  none.cell.size = 1_MiB;
  none.time_min = none.time_max = none.time;

  const std::string table = to_table(some_result({range, none}));

  EXPECT_NE(table.find("  250.000 .. 500.000  "), std::string::npos) << table;
  EXPECT_EQ(table.find("300.000 .."), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with("\n# 4 ranks, 1.2 GB, ring, by-rank: messages share links\n"));
}

// Predictions have a bound; their times may be a range because of it, which `found by` says.
TEST(ResultTable, ShowsTheSpreadOfMeasurements) {
  Row measured = some_row();
  measured.lower_bound_reason.clear();

  const std::string spread = to_table(some_result({measured}));

  EXPECT_NE(spread.find("  range ms\n"), std::string::npos) << spread;
  EXPECT_NE(spread.find("  250.000 .. 500.000\n"), std::string::npos) << spread;
  EXPECT_EQ(to_table(some_result({some_row()})).find("range ms"), std::string::npos);
}

TEST(ResultTable, OfOneRankHasNoBandwidths) {
  Row row = some_row();
  row.cell.ranks = 1;
  row.time = Seconds{1e-9};

  const std::string table = to_table(some_result({row}));

  EXPECT_NE(table.find("       1  1.2 GB  0.000001           -           -   100.000"),
            std::string::npos)
      << table;
}

TEST(ResultTable, SaysWhatGpusItWasMeasuredOn) {
  Result result = some_result({});
  result.provenance.simulated = false;
  result.provenance.backend = "cuda";
  result.provenance.gpus = "8 x NVIDIA H200";

  EXPECT_EQ(to_table(result),
            "# ringcast v1.2-3-gabcdef0: example, measured with cuda on 8 x NVIDIA H200\n");
}

TEST(ResultTable, OfNothingIsItsTitle) {
  EXPECT_EQ(to_table(some_result({})), "# ringcast v1.2-3-gabcdef0: example, predicted\n");
}

TEST(Cell, ReadsAsALine) {
  EXPECT_EQ(to_text(some_row().cell), "4 ranks, 1.2 GB, ring, by-rank");
}

TEST(ResultText, ShowsControlCharacters) {
  Row row = some_row();
  row.cell.ring_order = "a\x1b[31m";
  const Result result = some_result({row});

  EXPECT_NE(to_csv(result).find("a\\x1b[31m"), std::string::npos);
  EXPECT_NE(to_json(result).find("a\\u001b[31m"), std::string::npos);
  EXPECT_EQ(to_table(some_result({row, some_row()})).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace ringcast
