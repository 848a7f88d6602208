#include "app/report/sensitivity_table.hpp"

#include <gmock/gmock.h>

#include "tests/app/report/some_result.hpp"

namespace ringcast {
namespace {

const InputNumber ib{"link ib bandwidth", 6e9, Unit::rate, "measured"};
const InputNumber pcie{"link pcie bandwidth", 10e9, Unit::rate, "data sheet"};
const InputNumber overhead{"transport message_overhead", 7e-6, Unit::time, "a guess"};

Row row_with(std::vector<Sensitivity> sensitivity) {
  Row row = some_row();
  row.sensitivity = std::move(sensitivity);
  return row;
}

std::string explanation_of(std::vector<Sensitivity> sensitivity) {
  return explanation(some_result({row_with(std::move(sensitivity))}));
}

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(Explanation, ListsTheNumbersAndNamesTheFirst) {
  EXPECT_EQ(
      explanation_of({{ib, 0.1, -0.088, 0.108},
                      {overhead, 0.1, 0.002, -0.0018},
                      {pcie, 0.1, -1e-17, 0.00049}}),
      "#\n"
      "# why 4 ranks, 1.2 GB, ring, by-rank takes 300 ms: change of the time with each parameter\n"
      "#  parameter                    value    +10 %     -10 %  source\n"
      "   link ib bandwidth           6 GB/s  -8.80 %  +10.80 %  measured\n"
      "   transport message_overhead    7 us  +0.20 %   -0.18 %  a guess\n"
      "# no effect: link pcie bandwidth\n"
      "# dominant parameter: link ib bandwidth (6 GB/s, measured): +10 % reduces the time by 8.8 "
      "%\n");
}

TEST(Explanation, NamesTheAlgorithmsThatATunerThenTakes) {
  EXPECT_EQ(last_line(explanation_of({{ib, 0.1, -0.05, 0.12, "", "ring/Simple"}})),
            "# another algorithm: link ib bandwidth, -10 %: ring/Simple\n");
}

TEST(Explanation, NamesTheChannelsThatFitThen) {
  EXPECT_EQ(last_line(explanation_of({{ib, 0.1, 0, 0.33, "", "ring x 2"}})),
            "# another number of channels: link ib bandwidth, -10 %: ring x 2\n");
}

TEST(Explanation, NamesAProtocolWithoutEffectOnce) {
  const auto parameter = [](const char* name, double effect) {
    return Sensitivity{{name, 1e-6, Unit::time, "a guess"}, 0.1, effect, -effect};
  };
  const std::string text =
      explanation_of({parameter("transport protocols.ring/LL call_overhead", 0.02),
                      parameter("transport protocols.ring/LL latencies.nvlink", 0),
                      parameter("transport protocols.tree/LL call_overhead", 0),
                      parameter("transport protocols.tree/LL latencies.nvlink", 0)});
  EXPECT_NE(text.find("# no effect: transport protocols.ring/LL latencies.nvlink, transport "
                      "protocols.tree/LL\n"),
            std::string::npos)
      << text;
}

TEST(Explanation, GroupsCablesWithoutEffect) {
  const auto without = [](const std::vector<const char*>& names) {
    std::vector<Sensitivity> all{{ib, 0.1, -0.1, 0.1}};
    for (const char* const name : names)
      all.push_back({{name, 1e-6, Unit::time, ""}, 0.1, 0, 0});
    const std::string text = explanation_of(all);
    const std::size_t begin = text.find("# no effect: ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(without({"link a - b latency", "link pcie latency", "link b - c latency",
                     "link c - d latency", "link a - b bandwidth", "link d - a latency"}),
            "# no effect: link a - b latency and of 3 more cables, link pcie latency, "
            "link a - b bandwidth");
  EXPECT_EQ(without({"link a - b latency", "link b - c latency", "link c - d latency"}),
            "# no effect: link a - b latency, link b - c latency, link c - d latency");
}

TEST(Explanation, SaysWhichWayIsFaster) {
  EXPECT_EQ(last_line(explanation_of({{overhead, 0.025, 0.02, -0.019}})),
            "# dominant parameter: transport message_overhead (7 us, a guess): -2.5 % reduces "
            "the time by 1.9 %\n");
}

// Two cables of the same bandwidth limit the ring; a faster one leaves the other.
TEST(Explanation, SaysThatMoreOfOneOfSeveralEqualLimitsDoesNotHelp) {
  EXPECT_EQ(last_line(explanation_of({{pcie, 0.1, -1e-17, 0.11}, {ib, 0.1, 0, 0.11}})),
            "# dominant parameter: link pcie bandwidth (10 GB/s, data sheet): -10 % increases "
            "the time by 11.0 %, +10 % alone changes little\n");
}

// Another algorithm makes it much slower, whereas a faster link helps by most of its change.
TEST(Explanation, ComparesWhatMoreOfALimitGainsWithTheChange) {
  EXPECT_THAT(explanation_of({{ib, 0.1, -0.0861, 0.648, "", "tree/Simple"}}),
              testing::HasSubstr("+10 % reduces the time by 8.6 %\n"));
}

// A faster PCIe link is slower here, a slower IB link faster; a raised latency may cost time.
TEST(Explanation, MarksFasterCablesThatMakeASlowerSchedule) {
  const std::string text =
      explanation_of({{overhead, 0.1, 0.06, -0.06},
                      {pcie, 0.1, 0.058, 0.02},
                      {ib, 0.1, -0.01, -0.012},
                      {{"transport copy_rate", 1e9, Unit::rate, ""}, 0.1, 0.008, 0}});

  EXPECT_EQ(
      text.substr(text.find("# faster")),
      "# faster cable, slower schedule: link pcie bandwidth, +10 % increases the time by 5.8 "
      "%\n"
      "# faster cable, slower schedule: link ib bandwidth, -10 % reduces the time by 1.2 %\n");
}

std::string end_from(const std::string& text, std::string_view begin) {
  const std::size_t place = text.find(begin);
  return place == std::string::npos ? text : text.substr(place);
}

TEST(Explanation, SaysWhereNothingHasAnEffect) {
  EXPECT_EQ(
      end_from(explanation_of({{pcie, 0.1, 0, 0}, {ib, 0.1, 0, 0}}), "# no effect"),
      "# no effect: link pcie bandwidth, link ib bandwidth\n"
      "# at least 100 % of the time depends on no parameter of the files: limits and costs of "
      "the library's channels and chunks, which are part of the model\n"
      "# no parameter is dominant: a change by 10 % reduces the time by 0.0 % at most; bottleneck: "
      "a -> b, 50 % busy\n");
}

// With half of the rate the tuner takes a tree, which hides how much of the ring's time the rate
// is.
TEST(Explanation, DoesNotSayThatOfEffectsThroughAnotherAlgorithm) {
  Sensitivity through_tree{ib, 0.5, 0, 0.16};
  through_tree.taken_when_lowered = "tree/Simple";
  EXPECT_THAT(explanation_of({through_tree}), ::testing::Not(::testing::HasSubstr("at least")));
}

const InputNumber efficiency{"transport protocols.tree/LL efficiency", 0.5, Unit::fraction, ""};

// The part of a time is 5 % / 10 % = 0.5, of a rate the greater of 1.1 x 0.9 % / 10 % and 0.9 x 1.1
// % / 10 %: 0.1. An efficiency repeats the part of the link's rate.
TEST(Explanation, SaysWhatPartDependsOnNoParameter) {
  EXPECT_EQ(end_from(explanation_of({{overhead, 0.1, 0.05, -0.05},
                                     {ib, 0.1, -0.009, 0.011},
                                     {efficiency, 0.1, -0.009, 0.011}}),
                     "# at least"),
            "# at least 40 % of the time depends on no parameter of the files: limits and costs of "
            "the library's channels and chunks, which are part of the model\n"
            "# dominant parameter: transport message_overhead (7 us, a guess): -10 % reduces the "
            "time by 5.0 %\n");
}

// 1.1 x 0.5 is an efficiency, 1.1 x 0.95 is not.
TEST(Explanation, SaysWhereAnEfficiencyIsNotRaisedByTheWholeChange) {
  using ::testing::HasSubstr;
  const std::string remark = "# efficiencies are raised to 100 % at most\n";
  Sensitivity each{efficiency, 0.1, -0.009, 0.011};
  EXPECT_THAT(explanation_of({each}), ::testing::Not(HasSubstr(remark)));
  each.number.value = 0.95;
  EXPECT_THAT(explanation_of({each}), HasSubstr(remark));
}

TEST(Explanation, NamesTheBottleneckWhereNoParameterIsDominant) {
  Row row = row_with({{ib, 0.1, -0.0055, 0.0537}, {overhead, 0.1, 0.0041, -0.0041}});

  const auto end = [&row] { return end_from(explanation(some_result({row})), "# no parameter"); };

  const std::string next =
      "# next: link ib bandwidth (6 GB/s, measured): -10 % increases the time by 5.4 %, +10 % "
      "alone changes little\n";
  EXPECT_EQ(end(),
            "# no parameter is dominant: a change by 10 % reduces the time by 0.5 % at most; "
            "bottleneck: a -> b, 50 % busy\n" +
                next);
  row.busiest.front().utilisation = 0.49;
  EXPECT_EQ(
      end(),
      "# no parameter is dominant: a change by 10 % reduces the time by 0.5 % at most\n" + next);
}

TEST(Explanation, CountsNoPartsWhereASimulationFailed) {
  Result result = some_result({row_with({{overhead, 0.1, 0.05, -0.05}})});
  result.failures = {
      {result.rows.front().cell, "with link ib bandwidth of 1.1 times its value", 4}};

  EXPECT_EQ(explanation(result).find("# at least"), std::string::npos);
}

TEST(Explanation, NamesWhatHasNoEffectInLinesOfAtMostAHundredCharacters) {
  const auto named = [](std::size_t length) {
    return Sensitivity{{std::string(length, 'x'), 6e9, Unit::rate, "measured"}, 0.1, 0, 0};
  };
  const std::string begin = "# no effect: " + std::string(43, 'x');  // 56 characters
  const std::string of_41(41, 'x');                                  // 99, and room for a comma

  std::string text = explanation_of({named(43), named(41)});
  EXPECT_NE(text.find(begin + ", " + of_41 + "\n"), std::string::npos) << text;
  text = explanation_of({named(43), named(42), named(1)});
  EXPECT_NE(text.find(begin + ",\n#   x" + of_41 + ", x\n"), std::string::npos) << text;
}

TEST(Explanation, CutsSourcesThatAreParagraphs) {
  const InputNumber long_source{"link ib bandwidth", 6e9, Unit::rate,
                                "twelve words of seven or fewer letters make up the sixty that are "
                                "kept of it"};
  const InputNumber no_space{"link ib bandwidth", 6e9, Unit::rate, std::string(100, 'x')};

  EXPECT_EQ(
      last_line(explanation_of({{long_source, 0.1, -0.09, 0.11}})),
      "# dominant parameter: link ib bandwidth (6 GB/s, twelve words of seven or fewer letters "
      "make up the sixty ...): +10 % reduces the time by 9.0 %\n");
  EXPECT_NE(explanation_of({{no_space, 0.1, -0.09, 0.11}}).find(std::string(60, 'x') + " ...\n"),
            std::string::npos);
}

TEST(Explanation, SaysThatOfManyRowsTheLastIsExplained) {
  std::vector<Row> rows(most_explained_rows, some_row());
  rows.push_back(row_with({{ib, 0.1, -0.088, 0.108}}));

  EXPECT_EQ(last_line(explanation(some_result(rows))),
            "# (explained: the last of 5 rows; --ranks, --sizes, --algorithm and --ring choose)\n");
}

TEST(Explanation, IsEmptyWhereNobodyAsked) {
  EXPECT_EQ(explanation(some_result({some_row()})), "");
}

TEST(Explanation, FollowsTheTable) {
  const std::string table = to_table(some_result({some_row()}));
  const Result explained = some_result({row_with({{ib, 0.1, -0.088, 0.108}})});

  EXPECT_EQ(to_table(explained), table + explanation(explained));
}

}  // namespace
}  // namespace ringcast
