#include "scenarios/predict.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/ring_cost.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

/// `count` GPUs, each on its own cable of 10 GB/s and 1 us to one root complex.
ClusterSpec star(int count) {
  return machines::cluster_of(
      {"star", {machines::socket({machines::gpus(count)})}, std::nullopt, {}, std::nullopt}, 1);
}

/// Two nodes of four GPUs and a network card: 10 GB/s and 1 us per PCIe cable, 6 GB/s and 2 us per
/// network cable.
ClusterSpec two_nodes() {
  return machines::on_one_switch({"box",
                                  {machines::socket({machines::gpus(4), machines::nics(1)})},
                                  std::nullopt,
                                  {},
                                  std::nullopt},
                                 2);
}

class Predict : public testing::Test {
 protected:
  Predict() { folder_.write("scenario.yaml", ""); }

  [[nodiscard]] Scenario scenario_on(ClusterSpec cluster, int ranks, Bytes size) const {
    Scenario scenario;
    scenario.file = folder_ / "scenario.yaml";
    scenario.name = "test";
    scenario.cluster = std::move(cluster);
    scenario.transport = {.name = "ideal", .source = "test"};
    scenario.ranks = {ranks};
    scenario.sizes = {size};
    scenario.algorithms = {"ring"};
    scenario.ring_orders = {{"by-rank", {}}};
    return scenario;
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

std::vector<AllreduceRow> rows_of(const Scenario& scenario) {
  const Result result = predict(scenario, {.jobs = 2});
  for (const FailedCell& failure : result.failures) {
    ADD_FAILURE() << to_text(failure.cell) << ": " << failure.error;
  }
  return result.rows;
}

std::string refusal(const Scenario& scenario, const PredictOptions& options) {
  try {
    static_cast<void>(predict(scenario, options));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(Predict, PlansRanksThenSizesThenAlgorithmsThenRings) {
  Scenario scenario = scenario_on(star(4), 2, 1_KiB);
  scenario.ranks = {2, 4};
  scenario.sizes = {1_KiB, 2_KiB, 4_KiB};
  scenario.ring_orders = {{"by-rank", {}}, {"reversed", {}}};

  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});

  ASSERT_EQ(cells.size(), 12U);
  EXPECT_EQ(to_text(cells[0].cell), "2 ranks, 1 KiB, ring, by-rank");
  EXPECT_EQ(to_text(cells[1].cell), "2 ranks, 1 KiB, ring, reversed");
  EXPECT_EQ(to_text(cells[2].cell), "2 ranks, 2 KiB, ring, by-rank");
  EXPECT_EQ(to_text(cells[6].cell), "4 ranks, 1 KiB, ring, by-rank");
  EXPECT_EQ(to_text(cells[11].cell), "4 ranks, 4 KiB, ring, reversed");
  EXPECT_EQ(cells[11].channels.at(0).ranks()[0], Rank{3});
}

TEST_F(Predict, PlansARingOrderPerChannel) {
  Scenario scenario = scenario_on(star(4), 4, 1_KiB);
  scenario.channels = 3;
  scenario.ring_orders = {{"shuffled", {}}};

  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});

  EXPECT_EQ(cells.at(0).channels.size(), 3U);
  EXPECT_EQ(cells.at(0).cell.channels, 3);
}

TEST_F(Predict, GivesRowsInTheOrderOfThePlan) {
  Scenario scenario = scenario_on(star(4), 1, 1_KiB);
  scenario.ranks = {1, 2, 3, 4};
  scenario.sizes = {1_KiB, 1_MiB};

  const std::vector<AllreduceRow> rows = rows_of(scenario);

  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].cell.ranks, scenario.ranks[i / 2]);
    EXPECT_EQ(rows[i].cell.size, scenario.sizes[i % 2]);
  }
}

// A hop crosses two cables. Chunks of 10 MB: 6 steps of 2 us + 1 ms. Of the 10 GB/s,
// busbw = 40 MB / 6.012 ms x 2 x 3/4 is the part 1000/1002. 24 messages; a rank sends 6 chunks.
TEST_F(Predict, TakesTheClosedFormsTimeOnAStar) {
  const AllreduceRow row = rows_of(scenario_on(star(4), 4, Bytes{40'000'000})).at(0);

  EXPECT_NEAR(row.time / Seconds{6 * 1.002e-3}, 1, 1e-9);
  EXPECT_NEAR(bus_bandwidth(4, row.cell.size, row.time).value() / (10e9 * 1000 / 1002), 1, 1e-9);
  EXPECT_EQ(row.time_min, row.time);
  EXPECT_EQ(row.time_max, row.time);
  EXPECT_EQ(row.messages, 24U);
  EXPECT_EQ(row.sent_per_rank, Bytes{60'000'000});
  EXPECT_FALSE(row.verified);
}

// The ports' bound is 2 x 3 x 40 MB / (4 x 10 GB/s): what is left of the time is latency.
TEST_F(Predict, HasALowerBoundBelowTheTime) {
  const AllreduceRow row = rows_of(scenario_on(star(4), 4, Bytes{40'000'000})).at(0);

  EXPECT_NEAR(row.lower_bound.count(), 6e-3, 1e-12);
  EXPECT_LT(row.lower_bound, row.time);
  EXPECT_NE(row.lower_bound_reason, "");
}

TEST_F(Predict, OfOneRankOrOfNothingTakesNoTime) {
  Scenario scenario = scenario_on(star(4), 1, 1_MiB);
  scenario.ranks = {1, 4};
  scenario.sizes = {0_B, 1_MiB};

  const std::vector<AllreduceRow> rows = rows_of(scenario);

  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_EQ(rows.at(i).time, Seconds{0}) << to_text(rows[i].cell);
    EXPECT_TRUE(rows[i].busiest.empty());
  }
  EXPECT_GT(rows.at(3).time, Seconds{0});
}

// A hop between the nodes crosses GPU, card, switch, card, GPU: 1 + 1 + 2 + 2 + 1 + 1 = 8 us. By
// rank one flow at a time uses each card: every step takes 8 us + chunk / (6 GB/s), the slowest
// hop. Interleaved all four hops out of a node share its card: 8 us + 4 chunk / (6 GB/s). 14 steps;
// with chunks of 6 MB: 14 x 1.008 ms and 14 x 4.008 ms.
TEST_F(Predict, AnInterleavedRingSharesTheNetworkCard) {
  Scenario scenario = scenario_on(two_nodes(), 8, Bytes{48'000'000});
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}};

  const std::vector<AllreduceRow> rows = rows_of(scenario);

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].time / Seconds{14 * 1.008e-3}, 1, 1e-9);
  EXPECT_NEAR(rows[1].time / Seconds{14 * 4.008e-3}, 1, 1e-9);
}

TEST_F(Predict, NamesTheNetworkCardAsTheBottleneck) {
  const AllreduceRow row = rows_of(scenario_on(two_nodes(), 8, Bytes{48'000'000})).at(0);

  ASSERT_FALSE(row.busiest.empty());
  const LinkLoad& bottleneck = row.busiest.front();
  EXPECT_NE(bottleneck.name.find("node0.nic0"), std::string::npos) << bottleneck.name;
  EXPECT_NE(bottleneck.name.find("switch0"), std::string::npos) << bottleneck.name;
  EXPECT_EQ(bottleneck.link_class, "infiniband-fdr-4x");
  EXPECT_EQ(bottleneck.carried, Bytes{14 * 6'000'000});
  EXPECT_NEAR(bottleneck.utilisation, 1 / 1.008, 1e-9);
}

TEST_F(Predict, ListsTheBusiestLinksFirstAndAtMost32) {
  const std::vector<LinkLoad> links =
      rows_of(scenario_on(star(40), 40, Bytes{39'000'004})).at(0).busiest;

  EXPECT_EQ(links.size(), 32U);
  for (std::size_t i = 1; i < links.size(); ++i) {
    EXPECT_GE(links[i - 1].utilisation, links[i].utilisation);
  }
}

TEST_F(Predict, ChecksTheSumsOfEveryReduction) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      Scenario scenario = scenario_on(star(3), 3, 1000_B);
      scenario.reduction = {type, operation};

      const Result result = predict(scenario, {.check = true});

      ASSERT_EQ(result.rows.size(), 1U) << name_of(type) << " " << name_of(operation);
      EXPECT_TRUE(result.rows[0].verified);
    }
  }
}

TEST_F(Predict, ChecksSegmentsChannelsAndMixedRings) {
  Scenario scenario = scenario_on(two_nodes(), 7, 10'004_B);
  scenario.channels = 3;
  scenario.segment_size = 64_B;
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}, {"shuffled", {}}};

  const Result result = predict(scenario, {.check = true});

  EXPECT_EQ(result.failures.size(), 0U);
  ASSERT_EQ(result.rows.size(), 3U);
  EXPECT_TRUE(result.rows[0].verified && result.rows[1].verified && result.rows[2].verified);
}

TEST_F(Predict, TakesTheSameTimeWithDataAsWithout) {
  const Scenario scenario = scenario_on(two_nodes(), 8, 1_MiB);

  EXPECT_EQ(predict(scenario, {.check = true}).rows.at(0).time, rows_of(scenario).at(0).time);
}

TEST_F(Predict, RefusesPartsOfElements) {
  const Result result = predict(scenario_on(star(2), 2, 10_B), {});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].exit_code, 1);
  EXPECT_NE(result.failures[0].error.find("10 B is no whole number of float32"), std::string::npos)
      << result.failures[0].error;
}

TEST_F(Predict, RefusesToCheckMoreThanFits) {
  EXPECT_EQ(refusal(scenario_on(star(4), 4, 2_GiB), {.check = true}),
            "--check: 4 x 2 GiB of data do not fit (expected at most 4 GiB in all; narrow the "
            "sweep with --ranks and --sizes)");
  // 4 x 2^62 is 0 in 64 bits.
  EXPECT_NE(refusal(scenario_on(star(4), 4, Bytes{1ULL << 62U}), {.check = true}),
            "nothing was refused");
}

TEST_F(Predict, RefusesToTraceSeveralCells) {
  Scenario scenario = scenario_on(star(4), 2, 1_KiB);
  scenario.ranks = {2, 3, 4};

  EXPECT_EQ(refusal(scenario, {.trace = folder() / "trace.json"}),
            "--trace: the sweep has 3 cells (expected one; narrow it with --ranks, --sizes, "
            "--algorithm and --ring)");
  EXPECT_FALSE(std::filesystem::exists(folder() / "trace.json"));
}

// 8 ranks x 14 steps x 5,001 segments.
TEST_F(Predict, RefusesToTraceWhatNobodyCanLookAt) {
  Scenario scenario = scenario_on(star(8), 8, 160'000_B);
  scenario.segment_size = 4_B;

  EXPECT_EQ(refusal(scenario, {.trace = folder() / "trace.json"}),
            "--trace: 560112 messages are too many to look at (expected at most 500000; take fewer "
            "ranks or larger segments)");
}

TEST_F(Predict, TracesOneCell) {
  PredictOptions options;
  options.trace = folder() / "trace.json";

  const Result result = predict(scenario_on(two_nodes(), 8, 1_MiB), options);

  EXPECT_EQ(result.rows.size(), 1U);
  std::ifstream file{*options.trace};
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::size_t lanes = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    lanes += event.at("name") == "thread_name" ? 1U : 0U;
  }
  // 8 ranks; both ways of 8 GPU cables, 2 card cables and 2 network cables.
  EXPECT_EQ(lanes, 8U + 2U * 12U);
}

TEST_F(Predict, KeepsTheOtherRowsWhenACellFails) {
  Scenario scenario = scenario_on(star(4), 2, 1_KiB);
  scenario.ranks = {2, 4};
  scenario.algorithms = {"ring", "no-such-algorithm"};

  const Result result = predict(scenario, {.jobs = 2});

  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(to_text(result.rows[0].cell), "2 ranks, 1 KiB, ring, by-rank");
  EXPECT_EQ(to_text(result.rows[1].cell), "4 ranks, 1 KiB, ring, by-rank");
  ASSERT_EQ(result.failures.size(), 2U);
  EXPECT_EQ(to_text(result.failures[0].cell), "2 ranks, 1 KiB, no-such-algorithm, by-rank");
  EXPECT_EQ(result.failures[0].exit_code, 1);
  EXPECT_NE(result.failures[0].error.find("no-such-algorithm"), std::string::npos);
}

TEST_F(Predict, ReportsATraceThatCannotBeWritten) {
  const Result result =
      predict(scenario_on(star(2), 2, 1_KiB), {.trace = folder() / "missing/trace.json"});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].exit_code, 2);
}

TEST_F(Predict, TellsHowFarItIs) {
  Scenario scenario = scenario_on(star(8), 8, 1_MiB);
  scenario.sizes = {1_KiB, 1_MiB};
  scenario.segment_size = 1_KiB;  // 14,336 messages of the larger
  double last = 0;
  std::size_t last_ended = 0;

  static_cast<void>(
      predict(scenario, {.progress = [&](double done, std::size_t ended, std::size_t cells) {
                EXPECT_GE(done, last - 1e-12);
                EXPECT_EQ(cells, 2U);
                last = done;
                last_ended = ended;
              }}));

  EXPECT_NEAR(last, 1, 1e-12);
  EXPECT_EQ(last_ended, 2U);
}

TEST_F(Predict, SaysWhereItsNumbersComeFrom) {
  const Provenance provenance = predict(scenario_on(star(2), 2, 1_KiB), {}).provenance;

  EXPECT_EQ(provenance.scenario, "test");
  EXPECT_EQ(provenance.scenario_file, (folder() / "scenario.yaml").string());
  // sha256sum /dev/null
  EXPECT_EQ(provenance.scenario_sha256,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(provenance.cluster, "test");
  EXPECT_EQ(provenance.backend, "simgrid");
  EXPECT_TRUE(provenance.simulated);
  EXPECT_NE(provenance.host, "");
  EXPECT_NE(provenance.program_version, "");
  EXPECT_EQ(provenance.started_at.size(), std::string{"2024-02-29T23:59:59Z"}.size());
}

}  // namespace
}  // namespace ringcast
