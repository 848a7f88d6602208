#include "app/predict/predict.hpp"

#include <gtest/gtest.h>

#include "engine/schedule/bus_bandwidth.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class Predict : public PredictTest {};

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
  EXPECT_EQ(cells[11].options.channels.at(0).ranks()[0], Rank{3});
}

TEST_F(Predict, PlansARingOrderPerChannel) {
  Scenario scenario = scenario_on(star(4), 4, 1_KiB);
  scenario.channels = {3};
  scenario.ring_orders = {{"shuffled", {}}};

  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});

  EXPECT_EQ(cells.at(0).options.channels.size(), 3U);
  EXPECT_EQ(cells.at(0).cell.channels, 3);
}

TEST_F(Predict, SweepsTheNumbersOfChannelsInnermost) {
  Scenario scenario = scenario_on(star(4), 4, 1_KiB);
  scenario.ring_orders = {{"by-rank", {}}, {"reversed", {}}};
  scenario.channels = {1, 8};

  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});

  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[1].cell.ring_order, "by-rank");
  EXPECT_EQ(cells[1].cell.channels, 8);
  EXPECT_EQ(cells[1].options.channels.size(), 8U);
  EXPECT_EQ(cells[2].cell.ring_order, "reversed");
  EXPECT_EQ(cells[2].cell.channels, 1);
}

TEST_F(Predict, GivesRowsInTheOrderOfThePlan) {
  Scenario scenario = scenario_on(star(4), 1, 1_KiB);
  scenario.ranks = {1, 2, 3, 4};
  scenario.sizes = {1_KiB, 1_MiB};

  const std::vector<Row> rows = rows_of(scenario);

  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].cell.ranks, scenario.ranks[i / 2]);
    EXPECT_EQ(rows[i].cell.size, scenario.sizes[i % 2]);
  }
}

// A hop crosses two cables. Chunks of 10 MB: 6 steps of 2 us + 1 ms. Of the 10 GB/s,
// busbw = 40 MB / 6.012 ms x 2 x 3/4 is the part 1000/1002. 24 messages; a rank sends 6 chunks.
TEST_F(Predict, TakesTheClosedFormsTimeOnAStar) {
  const Row row = rows_of(scenario_on(star(4), 4, Bytes{40'000'000})).at(0);

  EXPECT_NEAR(row.time / Seconds{6 * 1.002e-3}, 1, 1e-9);
  EXPECT_NEAR(bus_bandwidth(4, row.cell.size, row.time).value() / (10e9 * 1000 / 1002), 1, 1e-9);
  EXPECT_EQ(row.time_min, row.time);
  EXPECT_EQ(row.time_max, row.time);
  EXPECT_EQ(row.messages, 24U);
  EXPECT_EQ(row.sent_per_rank, Bytes{60'000'000});
  EXPECT_FALSE(row.verified);
}

// The ports' bound is 2 x 3 x 40 MB / (4 x 10 GB/s): what is left of the time is latency.
// A rank sends 15 messages of 7 us each, over streams of their own. A ring's 2 x 15 follow each
// other, with 2 us on the cables. NCCL's channels do not wait for each other's.
TEST_F(Predict, PaysTheOverheadOfEachMessageOfARank) {
  const auto micros = [&](const std::string& algorithm, Tuner tuner) {
    Scenario scenario = scenario_on(star(16), 16, 64_B);
    scenario.algorithms = {algorithm};
    scenario.transport.message_overhead = 7_us;
    scenario.transport.tuner = tuner;
    return rows_of(scenario).at(0).time.count() * 1e6;
  };
  EXPECT_NEAR(micros("all-to-all", Tuner::none), 15 * 7, 0.1);
  EXPECT_NEAR(micros("all-to-all", Tuner::nccl), 7 + 2, 0.2);
  EXPECT_NEAR(micros("ring", Tuner::none), 30 * (7 + 2), 0.1);
}

TEST_F(Predict, HasALowerBoundBelowTheTime) {
  const Row row = rows_of(scenario_on(star(4), 4, Bytes{40'000'000})).at(0);

  EXPECT_NEAR(row.lower_bound.count(), 6e-3, 1e-12);
  EXPECT_LT(row.lower_bound, row.time);
  EXPECT_NE(row.lower_bound_reason, "");
}

TEST_F(Predict, OfOneRankOrOfNothingTakesNoTime) {
  Scenario scenario = scenario_on(star(4), 1, 1_MiB);
  scenario.ranks = {1, 4};
  scenario.sizes = {0_B, 1_MiB};

  const std::vector<Row> rows = rows_of(scenario);

  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_EQ(rows.at(i).time, Seconds{0}) << to_text(rows[i].cell);
    EXPECT_TRUE(rows[i].busiest.empty());
  }
  EXPECT_GT(rows.at(3).time, Seconds{0});
}

// A hop between the nodes crosses GPU, NIC, switch, NIC, GPU: 1 + 1 + 2 + 2 + 1 + 1 = 8 us. By
// rank one flow at a time uses each NIC: every step takes 8 us + chunk / (6 GB/s), the slowest
// hop. Interleaved all four hops out of a node share its NIC: 8 us + 4 chunk / (6 GB/s). 14 steps;
// with chunks of 6 MB: 14 x 1.008 ms and 14 x 4.008 ms.
TEST_F(Predict, AnInterleavedRingSharesTheNetworkNic) {
  Scenario scenario = scenario_on(two_nodes(), 8, Bytes{48'000'000});
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}};

  const std::vector<Row> rows = rows_of(scenario);

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].time / Seconds{14 * 1.008e-3}, 1, 1e-9);
  EXPECT_NEAR(rows[1].time / Seconds{14 * 4.008e-3}, 1, 1e-9);
}

TEST_F(Predict, NamesTheNetworkNicAsTheBottleneck) {
  const Row row = rows_of(scenario_on(two_nodes(), 8, Bytes{48'000'000})).at(0);

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

TEST_F(Predict, PlansTheNodesAndTheirServers) {
  Scenario scenario = scenario_on(two_nodes(), 8, 1_KiB);
  scenario.ranks = {4, 8};
  scenario.parameter_servers = {1, 0};

  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});

  EXPECT_EQ(cells.at(0).options.node_of, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(cells.at(0).options.servers, std::vector<Rank>{Rank{0}});
  EXPECT_EQ(cells.at(1).options.node_of, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(cells.at(1).options.servers, (std::vector<Rank>{Rank{4}, Rank{0}}));
}

// 48 MB on two nodes of four. Inside a node three steps of 12 MB take 1.2 ms + 2 us each. Across,
// four rings of two ranks share the NIC: two steps of 4 x 6 MB / (6 GB/s) + 8 us. And
// back.
TEST_F(Predict, AHierarchicalRingKnowsTheNodes) {
  Scenario scenario = scenario_on(two_nodes(), 8, Bytes{48'000'000});
  scenario.algorithms = {"hierarchical-ring"};

  const Row row = rows_of(scenario).at(0);

  EXPECT_NEAR(row.time / Seconds{6 * 1.202e-3 + 2 * 4.008e-3}, 1, 1e-9);
}

// One server on the second node, 6 MB a buffer. In: three from its own node, one after the other,
// 0.6 ms + 2 us each; four over the network, 1 ms + 8 us each. Out: three alone from 2 us to 8 us
// on the GPU's cable, 20 kB each; then it is shared by seven, 10/7 GB/s each, until the three have
// their other 5.98 MB, 4.186 ms later; and the four their last 20 kB over the NIC, 80 kB /
// (6 GB/s).
TEST_F(Predict, ServesOnTheNodesThatTheScenarioNames) {
  Scenario scenario = scenario_on(two_nodes(), 8, Bytes{6'000'000});
  scenario.algorithms = {"parameter-server"};
  scenario.parameter_servers = {1};

  const Row row = rows_of(scenario).at(0);

  EXPECT_NEAR(row.time / Seconds{3 * 0.602e-3 + 4 * 1.008e-3 + 8e-6 + 4.186e-3 + 80e3 / 6e9}, 1,
              1e-9);
  EXPECT_NE(row.busiest.front().name.find("node1.gpu0"), std::string::npos);
}

// A server on the socket of four GPUs, 6 MB a buffer: each GPU's cable of 10 GB/s and 1 us is all
// that is in the way. In one after the other, out at once: five times 0.601 ms.
TEST_F(Predict, ServesOnSockets) {
  Scenario scenario = scenario_on(two_nodes(), 4, Bytes{6'000'000});
  scenario.algorithms = {"parameter-server"};
  scenario.parameter_servers = {0};
  scenario.servers_on_hosts = true;

  const Row row = rows_of(scenario).at(0);

  EXPECT_NEAR(row.time / Seconds{5 * 0.601e-3}, 1, 1e-9);
  // Whole buffers cross to the server, where a ring's GPU would send three quarters twice.
  EXPECT_EQ(row.sent_per_rank, Bytes{24'000'000});

  scenario.transport.reduce_rate = BytesPerSecond{1e9};  // of GPUs, which combine nothing here
  EXPECT_NEAR(rows_of(scenario).at(0).time / Seconds{5 * 0.601e-3}, 1, 1e-9);
}

TEST_F(Predict, ChecksTheSumsOfServersOnSockets) {
  Scenario scenario = scenario_on(two_nodes(), 8, Bytes{6'004});
  scenario.algorithms = {"ring", "parameter-server"};
  scenario.parameter_servers = {1, 0};
  scenario.servers_on_hosts = true;
  scenario.segment_size = 1_KiB;

  const Result result = predict(scenario, {.check = true});

  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.rows.size(), 2U);
}

// 8 ranks of 1 MiB: 8.4 MB to make and to compare, at 5 ns a byte.
TEST_F(Predict, ExpectsTheWorkOfACheck) {
  const Scenario scenario = scenario_on(two_nodes(), 8, 1_MiB);
  const Topology topology{build_cluster(scenario.cluster)};
  const PlannedCell planned = plan(scenario, topology).front();

  const Seconds checked = expected_work(planned, {.check = true});
  const Seconds simulated = expected_work(planned, {.fidelity = Fidelity::simgrid});

  EXPECT_NEAR((checked - simulated).count(), 0.0419, 1e-4);
}

TEST_F(Predict, FailsWhereAServersNodeHasNoRank) {
  Scenario scenario = scenario_on(two_nodes(), 8, 1_KiB);
  scenario.ranks = {4, 8};
  scenario.algorithms = {"ring", "parameter-server"};
  scenario.parameter_servers = {0, 1};

  const Result result = predict(scenario, {.jobs = 2});

  EXPECT_EQ(result.rows.size(), 3U);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(to_text(result.failures[0].cell), "4 ranks, 1 KiB, parameter-server, by-rank");
  EXPECT_EQ(result.failures[0].exit_code, 2);
  EXPECT_EQ(result.failures[0].error,
            "parameter_servers: node 1 has none of the first 4 ranks (expected a node that has, or "
            "more ranks)");
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
