#include "app/report/comparison.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/report/some_result.hpp"
#include "tests/refusal.hpp"

namespace ringcast {
namespace {

Row predicted_row(int ranks, Bytes size, double seconds) {
  Row row = some_row();
  row.cell.ranks = ranks;
  row.cell.size = size;
  row.time = Seconds{seconds};
  return row;
}

/// As an imported log has it: no algorithm, no ring order, no channels.
Row logged_row(int ranks, Bytes size, double seconds) {
  Row row = predicted_row(ranks, size, seconds);
  row.cell.algorithm = "";
  row.cell.ring_order = "";
  row.cell.channels.reset();
  return row;
}

NamedResult predicted(std::vector<Row> rows) {
  return {"p.json", some_result(std::move(rows))};
}

NamedResult measured(std::vector<Row> rows) {
  NamedResult side{"m.log", some_result(std::move(rows))};
  side.result.provenance.scenario = "m.log";
  side.result.provenance.backend = "nccl-tests";
  side.result.provenance.simulated = false;
  return side;
}

std::string refusal(const NamedResult& left, const NamedResult& right) {
  return refusal_of([&] { return compare(left, right); });
}

// 110 ms/100 ms - 1 = 10 %; 150/200 - 1 = -25 %; the mean of their amounts is 17.5 %.
TEST(Comparison, IsOfTheCellsThatBothHave) {
  const Comparison comparison =
      compare(predicted({predicted_row(4, 1_MiB, 0.110), predicted_row(4, 2_MiB, 0.150),
                         predicted_row(4, 3_MiB, 0.2)}),
              measured({logged_row(4, 2_MiB, 0.200), logged_row(4, 1_MiB, 0.100),
                        logged_row(8, 1_MiB, 0.100), logged_row(4, 4_MiB, 0.100)}));

  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_NEAR(comparison.cells[0].error(), 0.10, 1e-12);
  EXPECT_NEAR(comparison.cells[1].error(), -0.25, 1e-12);
  EXPECT_NEAR(comparison.mean_absolute_error(), 0.175, 1e-12);
  EXPECT_EQ(comparison.worst().cell.size, 2_MiB);
  EXPECT_EQ(comparison.worst().cell.ring_order, "by-rank");
  EXPECT_EQ(comparison.only_predicted, std::vector<std::string>{"4 ranks, 3 MiB, ring, by-rank"});
  EXPECT_EQ(comparison.only_measured.size(), 2U);
}

TEST(Comparison, NamesCellsByTheDataTypeAndTheOperationInWhichTheyDiffer) {
  Row half = logged_row(4, 1_MiB, 0.1);
  half.cell.reduction.type = ElementType::float16;
  Row most = logged_row(4, 1_MiB, 0.1);
  most.cell.reduction.operation = Operation::max;

  const Comparison types = compare(predicted({predicted_row(4, 1_MiB, 0.1)}),
                                   measured({logged_row(4, 1_MiB, 0.2), half}));
  EXPECT_EQ(types.only_measured, std::vector<std::string>{"4 ranks, 1 MiB, float16"});
  EXPECT_EQ(worst_error(types).find("4 ranks, 1 MiB, ring, by-rank, float32: "), 0U);

  const Comparison operations = compare(predicted({predicted_row(4, 1_MiB, 0.1)}),
                                        measured({logged_row(4, 1_MiB, 0.2), most}));
  EXPECT_EQ(operations.only_measured, std::vector<std::string>{"4 ranks, 1 MiB, max"});
}

TEST(Comparison, HoldsAgainstEachOtherWhatBothState) {
  Row tree = predicted_row(4, 1_MiB, 0.2);
  tree.cell.algorithm = "tree";
  Row channels = predicted_row(4, 1_MiB, 0.3);
  channels.cell.channels = 3;
  const std::vector<Row> rows{predicted_row(4, 1_MiB, 0.1), tree, channels};

  const Comparison comparison = compare(predicted(rows), measured(rows));

  ASSERT_EQ(comparison.cells.size(), 3U);
  for (const ComparedCell& cell : comparison.cells) {
    EXPECT_EQ(cell.error(), 0);
  }
}

Row chosen_row(const char* algorithm, int channels, double seconds) {
  Row row = predicted_row(4, 1_MiB, seconds);
  row.cell.algorithm = algorithm;
  row.cell.channels = channels;
  row.cell.is_chosen = true;
  row.cell.channels_are_chosen = true;
  return row;
}

TEST(Comparison, MayBeOfTwoChoices) {
  const NamedResult first = predicted({chosen_row("tree", 4, 0.1)});
  const Comparison comparison = compare(first, predicted({chosen_row("ring", 8, 0.2)}));

  ASSERT_EQ(comparison.cells.size(), 1U);
  EXPECT_EQ(comparison.cells.front().error(), -0.5);
  EXPECT_TRUE(comparison.only_predicted.empty());
  EXPECT_NE(to_table(comparison).find("  tree, ring  "), std::string::npos) << to_table(comparison);

  Row tree = chosen_row("tree", 4, 0.2);
  tree.cell.protocol = "LL128";  // which a measurement does not have
  tree.cell.is_chosen = false;
  for (const NamedResult& second : {first, predicted({tree})})
    EXPECT_FALSE(compare(first, second).cells.front().has_two_algorithms());

  Row named = chosen_row("ring", 4, 0.2);
  named.cell.is_chosen = false;
  EXPECT_NE(refusal(first, predicted({named})).find("algorithm tree against ring"),
            std::string::npos);
}

// 150/200 - 1 = -25 %; turned round, 200/150 - 1 = 33.3 %.
TEST(Comparison, SaysWhichSideIsSlower) {
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

TEST(Comparison, NamesTheFilesOfResultsThatAreCalledAlike) {
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

TEST(Comparison, ShowsProtocolsAndChannelsThatDiffer) {
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

TEST(Comparison, KeepsElementsAndOperationsApart) {
  Row half = logged_row(4, 1_MiB, 0.1);
  half.cell.reduction.type = ElementType::float16;
  Row max = logged_row(4, 1_MiB, 0.1);
  max.cell.reduction.operation = Operation::max;

  EXPECT_EQ(
      refusal(predicted({predicted_row(4, 1_MiB, 0.1)}), measured({half, max})),
      "p.json, m.log: no cell in common: each parameter has a value in common, but no cell has "
      "all (expected equal ranks, sizes, data types and operations; predict and measure take "
      "--ranks, --sizes ...)");
  EXPECT_EQ(
      refusal(predicted({predicted_row(4, 1_MiB, 0.1)}), measured({logged_row(8, 2_MiB, 0.1)})),
      "p.json, m.log: no cell in common: ranks 4 against 8; size 1 MiB against 2 MiB (expected "
      "equal ranks, sizes, data types and operations; predict and measure take --ranks, "
      "--sizes ...)");
}

TEST(Comparison, RefusesToChooseBetweenRows) {
  Row tree = predicted_row(4, 1_MiB, 0.2);
  tree.cell.algorithm = "tree";
  Row shuffled = predicted_row(4, 1_MiB, 0.2);
  shuffled.cell.ring_order = "shuffled";
  Row channels = predicted_row(4, 1_MiB, 0.2);
  channels.cell.channels = 8;
  const Row ring = predicted_row(4, 1_MiB, 0.1);
  const NamedResult log = measured({logged_row(4, 1_MiB, 0.1)});

  EXPECT_EQ(refusal(predicted({ring, tree}), log),
            "p.json: 2 rows of 4 ranks, 1 MiB differ in algorithm (ring, tree), which m.log does "
            "not state (expected one of them; --algorithm ring in predict, say)");
  EXPECT_EQ(
      refusal(predicted({ring, shuffled}), log),
      "p.json: 2 rows of 4 ranks, 1 MiB differ in ring order (by-rank, shuffled), which m.log "
      "does not state (expected one of them; --ring by-rank in predict, say)");
  EXPECT_EQ(
      refusal(predicted({ring, channels}), log),
      "p.json: 2 rows of 4 ranks, 1 MiB differ in channels (2, 8), which m.log does not state "
      "(expected one of them; --channels 2 in predict, say)");
  EXPECT_EQ(refusal(predicted({ring, ring}), log),
            "p.json: 2 rows of 4 ranks, 1 MiB (expected each cell once)");
}

// One rank in a prediction takes no time: nothing to divide by on either side.
TEST(Comparison, LeavesOutWhatTakesNoTime) {
  const Comparison comparison =
      compare(predicted({predicted_row(1, 1_MiB, 0), predicted_row(4, 1_MiB, 0.1)}),
              measured({logged_row(1, 1_MiB, 5e-6), logged_row(4, 1_MiB, 0.1)}));

  EXPECT_EQ(comparison.cells.size(), 1U);
  EXPECT_EQ(comparison.only_predicted.size(), 1U);
  EXPECT_EQ(comparison.only_measured.size(), 1U);
}

TEST(Comparison, RefusesSwappedSides) {
  EXPECT_EQ(refusal(measured({some_row()}), predicted({some_row()})),
            "m.log is measured and p.json predicted (expected the prediction first)");
  EXPECT_EQ(refusal(predicted({}), measured({some_row()})).substr(0, 19), "p.json: has no row ");
}

// busbw of 4 ranks: 2 x 3/4 x 1048576/0.11 = 14.3 MB/s and 15.7 MB/s.
TEST(Comparison, PrintsALinePerCell) {
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

TEST(Comparison, OfTwoPredictionsCallsNeitherMeasured) {
  const NamedResult slow = predicted({predicted_row(4, 1_MiB, 0.110)});
  const std::string table = to_table(compare(slow, predicted({predicted_row(4, 1_MiB, 0.100)})));

  EXPECT_NE(table.find("  first ms  second ms  difference  first busbw GB/s  second busbw GB/s\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("# mean absolute difference 10.0 %, worst +10.0 % at"), std::string::npos);
}

TEST(Comparison, WritesTheSameKeysAsCsvAndJson) {
  const Comparison comparison =
      compare(predicted({predicted_row(4, 1_MiB, 0.125)}), measured({logged_row(4, 1_MiB, 0.1)}));

  const auto json = nlohmann::ordered_json::parse(to_json(comparison));

  EXPECT_EQ(json["rows"][0]["relative_error"], 0.25);
  EXPECT_EQ(json["mean_absolute_error"], 0.25);
  EXPECT_EQ(json["measured"]["simulated"], false);
  EXPECT_EQ(to_csv(comparison).substr(0, 91),
            "kind,ranks,size_bytes,algorithm,data_type,reduction,ring_order,channels,"
            "predicted_time_s,me");
}

}  // namespace
}  // namespace ringcast
