#include "app/predict/sensitivity.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/common/kept_cells.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/report/sensitivity_table.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class SensitivityTest : public PredictTest {
 protected:
  static Result explained(const Scenario& scenario, double change = 0.1) {
    Result result = predict(scenario, {.jobs = 2});
    add_sensitivity(result, scenario, change, 2, {});
    return result;
  }
};

Sensitivity of_number(const Row& row, const std::string& name) {
  const auto found = std::ranges::find_if(row.sensitivity, [&](const Sensitivity& sensitivity) {
    return sensitivity.number.name == name;
  });
  return found == row.sensitivity.end() ? Sensitivity{} : *found;
}

// On a star of n ranks time = 2(n-1) (L + S/(n B)), where L = 2 us of two cables. For n = 4,
// S = 400 kB and B = 10 GB/s that is 6 (2 us + 10 us): the latencies' part is 1/6, the bandwidth's
// 5/6. With B raised by 10 % its part becomes 1/1.1 of it, with B lowered 1/0.9; the latencies'
// part grows and shrinks by 10 %.
TEST_F(SensitivityTest, IsTheClosedFormsOnAStar) {
  const Row row = explained(scenario_on(star(4), 4, Bytes{400'000})).rows.at(0);
  const Sensitivity bandwidth = of_number(row, "link pcie-3.0-x16 bandwidth");
  const Sensitivity latency = of_number(row, "link pcie-3.0-x16 latency");

  ASSERT_NEAR(row.time.count(), 72e-6, 1e-15);
  EXPECT_NEAR(bandwidth.when_raised, -5.0 / 6 * (1 - 1 / 1.1), 1e-9);
  EXPECT_NEAR(bandwidth.when_lowered, 5.0 / 6 * (1 / 0.9 - 1), 1e-9);
  EXPECT_NEAR(latency.when_raised, 0.1 / 6, 1e-9);
  EXPECT_NEAR(latency.when_lowered, -0.1 / 6, 1e-9);
  EXPECT_EQ(bandwidth.change, 0.1);
  EXPECT_EQ(bandwidth.number.value, 10e9);
  EXPECT_EQ(bandwidth.number.source, "invented");
}

// As above with an overhead of 3 us and a reduction of 10 us in every other step: 6 (2 + 3 + 10) us
// + 3 x 10 us = 120 us, of which the overhead is 18 us and the reduction 30 us.
TEST_F(SensitivityTest, CoversTheTransport) {
  Scenario scenario = scenario_on(star(4), 4, Bytes{400'000});
  scenario.transport.message_overhead = 3_us;
  scenario.transport.reduce_rate = 10_GBps;

  const Row row = explained(scenario, 0.5).rows.at(0);

  EXPECT_NEAR(of_number(row, "transport message_overhead").when_lowered, -0.5 * 18 / 120, 1e-9);
  EXPECT_NEAR(of_number(row, "transport reduce_rate").when_raised, -(1 - 1 / 1.5) * 30 / 120, 1e-9);
}

// At 80 % efficiency a step takes 2 us + 10 us / 0.8, six take 87 us; at 40 % 162 us. More than all
// of the bytes cannot be payload: 72 us. All of them is no parameter.
TEST_F(SensitivityTest, RaisesNoEfficiencyAboveOne) {
  Scenario scenario = scenario_on(star(4), 4, Bytes{400'000});
  const std::string name = "transport protocols.ring/Simple efficiency";
  scenario.transport.protocols = {{.algorithm = "ring", .name = "Simple", .efficiency = 0.8}};
  const Sensitivity partly = of_number(explained(scenario, 0.5).rows.at(0), name);
  scenario.transport.protocols.front().efficiency = 1;
  const Sensitivity whole = of_number(explained(scenario, 0.5).rows.at(0), name);

  EXPECT_NEAR(partly.when_raised, 72.0 / 87 - 1, 1e-9);
  EXPECT_NEAR(partly.when_lowered, 162.0 / 87 - 1, 1e-9);
  EXPECT_EQ(whole.number.name, "");
}

// Six steps of 1 s, beside which their 12 us are nothing.
TEST_F(SensitivityTest, CoversANumberOfOneThatIsNoEfficiency) {
  Scenario scenario = scenario_on(star(4), 4, Bytes{400'000});
  scenario.transport.message_overhead = Seconds{1};

  const Row row = explained(scenario).rows.at(0);

  EXPECT_NEAR(of_number(row, "transport message_overhead").when_raised, 0.1, 1e-4);
}

// Four GPUs that NVLinks of three names join, each name two pairs that share no GPU. A ring uses
// two of the names. Each of them slows it down, though another ring would avoid it.
TEST_F(SensitivityTest, KeepsToTheRingsThatWereSearched) {
  NodeTypeSpec mesh{
      "mesh", {machines::socket({machines::gpus(4)})}, std::nullopt, {}, std::nullopt};
  const auto join = [&](int a, int b, const std::string& name) {
    mesh.nvlinks.push_back({a, b, 1, machines::cable(name, 20, 0)});
  };
  join(0, 1, "x");
  join(2, 3, "x");
  join(0, 2, "y");
  join(1, 3, "y");
  join(0, 3, "z");
  join(1, 2, "z");
  Scenario scenario = scenario_on(machines::cluster_of(mesh, 1), 4, 64_MiB);
  scenario.ring_orders = {{"searched", {}}};
  scenario.channels = {1};

  const Row row = explained(scenario).rows.at(0);

  std::vector<double> lowered;
  for (const std::string name : {"x", "y", "z"})
    lowered.push_back(of_number(row, "link " + name + " bandwidth").when_lowered);
  std::ranges::sort(lowered);
  EXPECT_NEAR(lowered[0], 0, 1e-6);
  EXPECT_NEAR(lowered[1], 1 / 0.9 - 1, 1e-6);
  EXPECT_NEAR(lowered[2], 1 / 0.9 - 1, 1e-6);
}

// By rank one flow at a time uses each NIC of 6 GB/s; PCIe has 10 GB/s. Of each step's
// 1.008 ms the latencies of PCIe are 4 us: 10 % of them change the time by 0.04 %. What has no
// effect stays in the order of the input numbers.
TEST_F(SensitivityTest, NamesTheGreatestEffectFirst) {
  const Row row = explained(scenario_on(two_nodes(), 8, Bytes{48'000'000})).rows.at(0);

  ASSERT_EQ(row.sensitivity.size(), 4U);
  EXPECT_EQ(row.sensitivity[0].number.name, "link infiniband-fdr-4x bandwidth");
  EXPECT_EQ(row.sensitivity[1].number.name, "link pcie-3.0-x16 bandwidth");
  EXPECT_EQ(row.sensitivity[2].number.name, "link pcie-3.0-x16 latency");
  EXPECT_TRUE(has_effect(row.sensitivity[0]));
  EXPECT_NEAR(row.sensitivity[1].when_lowered, 0, 1e-9);
  EXPECT_NEAR(row.sensitivity[2].when_raised, 0.1 * 4 / 1008, 1e-9);
  EXPECT_FALSE(has_effect(row.sensitivity[2]));
}

TEST_F(SensitivityTest, OfFewRowsIsOfAllThatTakeTime) {
  Scenario scenario = scenario_on(star(4), 1, 1_MiB);
  scenario.ranks = {1, 2, 3, 4};

  const std::vector<Row> rows = explained(scenario).rows;

  ASSERT_EQ(rows.size(), most_explained_rows);
  EXPECT_TRUE(rows[0].sensitivity.empty());
  for (const std::size_t i : {1U, 2U, 3U}) {
    EXPECT_EQ(rows[i].sensitivity.size(), 2U) << i;
  }
}

TEST_F(SensitivityTest, OfManyRowsIsOfTheLast) {
  Scenario scenario = scenario_on(star(4), 4, 1_MiB);
  scenario.sizes = {1_MiB, 2_MiB, 3_MiB, 4_MiB, 5_MiB};

  const std::vector<Row> rows = explained(scenario).rows;

  ASSERT_EQ(rows.size(), most_explained_rows + 1);
  for (const std::size_t i : {0U, 1U, 2U, 3U}) {
    EXPECT_TRUE(rows[i].sensitivity.empty()) << i;
  }
  EXPECT_EQ(rows[4].sensitivity.size(), 2U);
}

TEST_F(SensitivityTest, ARowThatCannotBeSimulatedAgainIsAFailure) {
  Scenario scenario = scenario_on(star(2), 2, 1_KiB);
  Result result = predict(scenario, {});
  scenario.algorithms = {"no-such-algorithm"};
  result.rows.at(0).cell.algorithm = "no-such-algorithm";

  add_sensitivity(result, scenario, 0.1, 1, {});

  EXPECT_TRUE(result.rows.at(0).sensitivity.empty());
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(to_text(result.failures[0].cell), "2 ranks, 1 KiB, no-such-algorithm, by-rank");
}

TEST_F(SensitivityTest, ReportsTheProgressOfAllItsSimulations) {
  const Scenario scenario = scenario_on(star(2), 2, 1_KiB);
  Result result = predict(scenario, {});
  double last = 0;
  std::size_t simulations = 0;
  const auto progress = [&](const WorkDone& done) {
    last = done.fraction;
    simulations = done.cells;
  };

  add_sensitivity(result, scenario, 0.1, 1, progress);

  EXPECT_NEAR(last, 1, 1e-12);
  EXPECT_EQ(simulations, 5U);  // as it is; bandwidth and latency, each up and down
}

// AWS's tuner of 2024 takes tree/LL128 for 128 KiB on two p5.48xlarge
// (topology/nccl/aws_tuner.cpp), NCCL by itself tree/LL. The two cells differ in nothing else, and
// no time of one depends on the other's protocol.
TEST_F(SensitivityTest, ExplainsAChosenAlgorithmBesideTheSameOneThatIsGiven) {
  Scenario scenario = read_scenario(RINGCAST_SOURCE_DIR "/scenarios/clusters/aws-p5.yaml",
                                    {.sizes = "128KiB", .algorithm = "auto,tree"});
  scenario.transport.efa_tuner = EfaTuner::of_2024;
  std::erase_if(scenario.transport.protocols,
                [](const Protocol& protocol) { return protocol.algorithm != "tree"; });
  KeptCells kept{folder() / "kept", "plan", false};
  PredictOptions options{.jobs = 2};
  options.kept = &kept;

  Result result = predict(scenario, options);
  const Result resumed = predict(scenario, options);
  add_sensitivity(result, scenario, 0.1, 2, {}, &kept);

  const auto effect_of = [&](std::size_t row, const std::string& protocol) {
    const std::string name = "transport protocols.tree/" + protocol + " call_overhead";
    return of_number(result.rows.at(row), name).when_raised;
  };
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(algorithm_text(result.rows[0].cell), "tree/LL128");
  EXPECT_EQ(algorithm_text(result.rows[1].cell), "tree/LL");
  EXPECT_EQ(resumed.rows.at(0).time, result.rows[0].time);
  EXPECT_EQ(resumed.rows.at(1).time, result.rows[1].time);
  EXPECT_GT(effect_of(0, "LL128"), 0);
  EXPECT_EQ(effect_of(0, "LL"), 0);
  EXPECT_EQ(effect_of(1, "LL128"), 0);
  EXPECT_GT(effect_of(1, "LL"), 0);
}

// Rings cross the sockets both ways, four at 8 of 32 GB/s; NCCL finds two where 90 % are left.
TEST_F(SensitivityTest, NamesAnotherNumberOfChannels) {
  const std::filesystem::path file = folder() / "cluster.yaml";
  std::ofstream{file} << R"(name: two hosts without NVLink
links: {sockets: {bandwidth: 32 GB/s, latency: 80 ns, source: invented}}
node_types:
  host:
    cpu: amd
    socket_link: sockets
    gpu: RTX PRO 6000
    sockets:
      - count: 2
        root_complexes:
          - count: 2
            devices:
              - kind: pcie-switch
                link: pcie-5.0-x16
                devices:
                  - {kind: gpu, count: 2, link: pcie-5.0-x16}
                  - {kind: nic, link: pcie-5.0-x16}
nodes:
  - {type: host, count: 2}
fabric: {kind: switch, link: ethernet-400g}
)";
  const Row row = explained(read_scenario(file, {.sizes = "1GiB"})).rows.back();

  const Sensitivity sockets = of_number(row, "link sockets bandwidth");
  EXPECT_EQ(chosen_text(row.cell), "ring/Simple x 4");
  EXPECT_EQ(sockets.taken_when_raised, "");
  EXPECT_EQ(sockets.taken_when_lowered, "ring/Simple x 2");
}

TEST(Change, IsAPercentage) {
  EXPECT_DOUBLE_EQ(read_change("10%"), 0.1);
  EXPECT_DOUBLE_EQ(read_change("2.5 %"), 0.025);
  EXPECT_DOUBLE_EQ(read_change("50%"), 0.5);
}

TEST(Change, OfAnotherKindIsRefused) {
  const auto refusal = [](const std::string& text) {
    return machines::refusal([&] { static_cast<void>(read_change(text)); });
  };

  EXPECT_EQ(refusal("10"),
            "--change: no percent sign in \"10\", did you mean \"10%\"? (expected 1% to 50%)");
  EXPECT_EQ(refusal("0"),
            "--change: no percent sign in \"0\", did you mean \"0%\"? (expected 1% to 50%)");
  EXPECT_EQ(refusal("1"),
            "--change: no percent sign in \"1\", did you mean \"1%\" or \"100%\"? (expected 1% to "
            "50%)");
  EXPECT_EQ(refusal("ten%"), "--change: \"ten%\" is no percentage (expected 1% to 50%)");
  EXPECT_EQ(refusal("10%%"), "--change: \"10%%\" is no percentage (expected 1% to 50%)");
  EXPECT_EQ(refusal("nan%"), "--change: nan% is out of range (expected 1% to 50%)");
  EXPECT_EQ(refusal("0.9%"), "--change: 0.9% is out of range (expected 1% to 50%)");
  EXPECT_EQ(refusal("-10%"), "--change: -10% is out of range (expected 1% to 50%)");
  EXPECT_EQ(refusal("51%"), "--change: 51% is out of range (expected 1% to 50%)");
  EXPECT_EQ(refusal(""), "--change: an empty text (expected 1% to 50%)");
}

}  // namespace
}  // namespace ringcast
