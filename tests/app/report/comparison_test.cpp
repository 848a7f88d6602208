#include "app/report/comparison.hpp"

#include <gtest/gtest.h>

#include "tests/app/report/some_comparison.hpp"
#include "tests/refusal.hpp"

namespace ringcast {
namespace {

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

TEST(Comparison, TakesWhatOneSideAloneStates) {
  const NamedResult log = measured({logged_row(4, 1_MiB, 0.1)});
  Row chosen = predicted_row(4, 1_MiB, 0.2);
  chosen.cell.is_chosen = true;

  const ComparedCell cell = compare(log, measured({chosen})).cells.at(0);

  EXPECT_EQ(cell.cell.algorithm, "ring");
  EXPECT_EQ(cell.cell.ring_order, "by-rank");
  EXPECT_EQ(cell.cell.channels, 2);
  EXPECT_FALSE(cell.has_two_algorithms());
  EXPECT_EQ(compare(predicted({chosen}), log).cells.at(0).cell.channels, 2);
  EXPECT_NE(refusal(log, measured({predicted_row(8, 1_MiB, 0.1)}))
                .find("no cell in common: ranks 4 against 8 (expected"),
            std::string::npos);
}

Row trained_row(const char* algorithm) {
  Row row = predicted_row(4, 1_MiB, 0.1);
  row.cell.algorithm = algorithm;
  row.cell.protocol = "LL";
  row.cell.is_chosen = true;
  row.cell.training.emplace().model = "resnet";
  return row;
}

// The samples of an iteration do not tell in how many passes they are computed.
TEST(Comparison, OfTrainingsHoldsTheirModelsAndPassesAgainstEachOther) {
  Row tree = trained_row("tree");
  tree.cell.protocol = "Simple";
  EXPECT_EQ(compare(predicted({trained_row("ring")}), predicted({tree})).cells.size(), 1U);

  Row passes = trained_row("ring");
  passes.cell.training->accumulation = 2;
  EXPECT_NE(refusal(predicted({trained_row("ring")}), predicted({passes}))
                .find("(expected equal models, ranks, batches,"),
            std::string::npos);
  EXPECT_NE(refusal(predicted({passes}), predicted({predicted_row(4, 1_MiB, 0.1)}))
                .find("model resnet against none (expected equal ranks, sizes,"),
            std::string::npos);
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
  for (const std::string& text :
       {refusal(first, predicted({named})), refusal(predicted({named}), first)})
    EXPECT_NE(text.find("no cell in common: algorithm "), std::string::npos) << text;
}

TEST(Comparison, PairsChoicesWithChoicesWhereTheSameAlgorithmIsGivenToo) {
  Row given = chosen_row("tree", 4, 0.3);
  given.cell.is_chosen = false;
  const Row chosen = chosen_row("tree", 4, 0.1);
  const NamedResult both = predicted({chosen, given});

  for (const char* const other : {"tree", "ring"}) {
    const Comparison choices = compare(both, predicted({chosen_row(other, 4, 0.2)}));
    ASSERT_EQ(choices.cells.size(), 1U);
    EXPECT_EQ(choices.cells[0].error(), -0.5);  // 0.1 s / 0.2 s - 1
    EXPECT_EQ(choices.only_predicted.size(), 1U);
    EXPECT_TRUE(choices.only_measured.empty());
  }
  const Comparison same = compare(both, both);
  ASSERT_EQ(same.cells.size(), 2U);
  EXPECT_EQ(same.cells[0].error(), 0);
  EXPECT_EQ(same.cells[1].error(), 0);
  EXPECT_EQ(refusal(both, measured({logged_row(4, 1_MiB, 0.1)})),
            "p.json: 2 rows of 4 ranks, 1 MiB differ in algorithm (auto, tree), which m.log does "
            "not state (expected one of them; --algorithm auto in predict, say)");
}

TEST(Comparison, KeepsElementsAndOperationsApart) {
  Row half = logged_row(4, 1_MiB, 0.1);
  half.cell.reduction.type = ElementType::float16;
  Row max = logged_row(4, 1_MiB, 0.1);
  max.cell.reduction.operation = Operation::max;

  EXPECT_EQ(
      refusal(predicted({predicted_row(4, 1_MiB, 0.1)}), measured({half, max})),
      "p.json, m.log: no cell in common: each parameter has a value in common, but no cell has "
      "all (expected equal ranks, sizes, data types, operations, algorithms, ring orders and "
      "channels; predict and measure take --ranks, --sizes ...)");
  EXPECT_EQ(
      refusal(predicted({predicted_row(4, 1_MiB, 0.1)}), measured({logged_row(8, 2_MiB, 0.1)})),
      "p.json, m.log: no cell in common: ranks 4 against 8; size 1 MiB against 2 MiB (expected "
      "equal ranks, sizes, data types, operations, algorithms, ring orders and channels; predict "
      "and measure take --ranks, --sizes ...)");
  // At most four values are listed.
  std::vector<Row> rows;
  for (const Bytes size : {1_MiB, 2_MiB, 3_MiB, 4_MiB})
    rows.push_back(predicted_row(4, size, 0.1));
  const NamedResult other = measured({logged_row(4, 8_MiB, 0.1)});
  EXPECT_NE(refusal(predicted(rows), other).find("size 1 MiB, 2 MiB, 3 MiB, 4 MiB against 8 MiB"),
            std::string::npos);
  rows.push_back(predicted_row(4, 5_MiB, 0.1));
  EXPECT_NE(refusal(predicted(rows), other).find("3 MiB, 4 MiB, ... against"), std::string::npos);
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

// One rank or no data in a prediction takes no time: nothing to divide by on either side.
TEST(Comparison, KnowsWhereRanksWereOnOtherNodes) {
  Row here = predicted_row(4, 1_MiB, 0.1);
  Row there = logged_row(4, 1_MiB, 0.2);
  const auto different = [&] {
    return compare(predicted({here}), measured({there})).different_nodes.has_value();
  };
  here.cell.nodes = 1;
  there.cell.nodes.reset();
  EXPECT_FALSE(different());
  there.cell.nodes = 1;
  EXPECT_FALSE(different());
  there.cell.nodes = 2;
  EXPECT_TRUE(different());
}

TEST(Comparison, LeavesOutWhatTakesNoTime) {
  const Comparison comparison =
      compare(predicted({predicted_row(1, 1_MiB, 0), predicted_row(4, 0_B, 0),
                         predicted_row(4, 1_MiB, 0.1)}),
              measured({logged_row(1, 1_MiB, 5e-6), logged_row(4, 1_MiB, 0.1)}));

  EXPECT_EQ(comparison.cells.size(), 1U);
  EXPECT_TRUE(comparison.only_predicted.empty());
  EXPECT_TRUE(comparison.only_measured.empty());
}

TEST(Comparison, RefusesSwappedSides) {
  EXPECT_EQ(refusal(measured({some_row()}), predicted({some_row()})),
            "m.log is measured and p.json predicted (expected the prediction first)");
  EXPECT_EQ(refusal(predicted({}), measured({some_row()})).substr(0, 19), "p.json: has no row ");
}

}  // namespace
}  // namespace ringcast
