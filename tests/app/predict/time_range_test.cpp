#include "app/predict/time_range.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/common/signal_watch.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "tests/app/predict/predictions.hpp"
#include "tests/sim/forked.hpp"

namespace ringcast {
namespace {

class TimeRangeTest : public PredictTest {
 protected:
  /// Two nodes of four GPUs. Interleaved, each hop leads from one node to the other, and four flows
  /// share each network cable.
  [[nodiscard]] Row row_of(const std::string& ring_order, std::optional<Bytes> segment) const {
    Scenario scenario = scenario_on(two_nodes(), 7, 4_MiB);
    scenario.ring_orders = {{ring_order, {}}};
    scenario.segment_size = segment;
    scenario.transport.message_overhead = 5_us;
    scenario.transport.reduce_rate = 50_GBps;
    return rows_of(scenario).at(0);
  }
};

TEST_F(TimeRangeTest, IsThatOfDelaysWhereSegmentsShareLinks) {
  const Row row = row_of("interleaved", 64_KiB);

  EXPECT_LE(row.time_min, row.time);
  EXPECT_GE(row.time_max, row.time);
  EXPECT_GT((row.time_max - row.time_min) / row.time, least_range);
  EXPECT_THAT(row.range_reason,
              ::testing::HasSubstr("messages share links, and delays of up to 1 ns per message"));
}

// The row stands, but the run is not complete: it must not look as if it were.
TEST_F(TimeRangeTest, OfAnInterruptedRunIsAFailureBesideTheRow) {
  Scenario scenario = scenario_on(two_nodes(), 8, 4_MiB);
  scenario.ring_orders = {{"interleaved", {}}};
  scenario.segment_size = 64_KiB;
  const Topology topology{build_cluster(scenario.cluster)};
  const std::vector<PlannedCell> cells = plan(scenario, topology);
  const PredictOptions options{.jobs = 1};
  const Row row =
      simulate(cells.at(0), scenario, topology, options, [](const CellProgress& /*progress*/) {});
  std::vector<CellOutcome> outcomes{{0, checked_outcome(row)}};
  ASSERT_EQ(row.range_reason, possible_range);
  const SignalWatch watch;
  ASSERT_EQ(std::raise(SIGINT), 0);

  const std::vector<FailedCell> failures =
      find_time_ranges(outcomes, cells, scenario, topology, options);

  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures.at(0).exit_code, Interrupted::code);
  EXPECT_EQ(failures.at(0).error, "not simulated with delays: interrupted");
  const Row kept = row_from_outcome(cells.at(0).cell, outcomes.at(0).text);
  EXPECT_EQ(kept.time, row.time);
  EXPECT_EQ(kept.range_reason, "messages share links; not simulated with delays: interrupted");
}

// 16 GPUs on two nodes in a random order, without segments. The range is found by fluid flows;
// SimGrid's own times with such delays spread as far.
TEST_F(TimeRangeTest, IsThatOfDelaysWhereWholeChunksShareLinks) {
  Scenario scenario =
      read_scenario(std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios/ring-orders.yaml");
  scenario.ring_orders = {{"shuffled", {}}};
  scenario.sizes = {1_MiB};
  const Topology topology{build_cluster(scenario.cluster)};
  const PlannedCell planned = plan(scenario, topology).at(0);

  const Row row = rows_of(scenario).at(0);

  EXPECT_THAT(row.range_reason, ::testing::HasSubstr("messages share links, and delays"));
  EXPECT_GT((row.time_max - row.time_min) / row.time, least_range);
  std::vector<double> simulated;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    simulated.push_back(testing::number_from_fork([&] {
      const PredictOptions options{.fidelity = Fidelity::simgrid, .delay_seed = seed};
      return simulate(planned, scenario, topology, options, [](const CellProgress& /*progress*/) {})
          .time.count();
    }));
  }
  const auto [least, most] = std::ranges::minmax(simulated);
  EXPECT_GT((most - least) / row.time.count(), least_range);
}

// Three trees over two nodes of three GPUs and one NIC: their messages meet on all links, and what
// comes first decides between 0.45 and 0.51 ms.
TEST_F(TimeRangeTest, IsFoundWhereChannelsOfThePairsOfRanksMeet) {
  folder().write("channels.yaml", fmt::format(R"(
name: channels
cluster:
  name: two nodes
  links: {{pcie: pcie-5.0-x16, net: infiniband-hdr-4x}}
  node_types:
    box: {{sockets: [{{root_complexes: [{{devices: [{{kind: gpu, count: 3, link: pcie}}, {{kind: nic, link: pcie}}]}}]}}]}}
  nodes: [{{type: box, count: 2}}]
  fabric: {{kind: switch, link: net}}
transport: {}/scenarios/transports/ucx.yaml
ranks: [6]
sizes: 4 MiB
algorithm: tree
channels: 3
ring_order: reversed
)",
                                              RINGCAST_SOURCE_DIR));

  const Row row = rows_of(read_scenario(folder() / "channels.yaml")).at(0);

  EXPECT_GT((row.time_max - row.time_min) / row.time, 0.03);
  EXPECT_THAT(row.range_reason, ::testing::HasSubstr("messages share links, and delays"));
}

// Without segments; and with them where each link has one stream only.
TEST_F(TimeRangeTest, IsAbsentElsewhere) {
  Scenario alone = scenario_on(star(7), 7, 4_MiB);
  alone.segment_size = 64_KiB;

  for (const Row& row : {row_of("interleaved", std::nullopt), rows_of(alone).at(0)}) {
    EXPECT_EQ(row.time_min, row.time);
    EXPECT_EQ(row.time_max, row.time);
    EXPECT_EQ(row.range_reason, "");
  }
}

// All chunks are as long, and two neighbours share a cable to the switch in equal parts: delays of
// 1 ns in each of 2 x 6 steps and their segments change the time by microseconds at most.
TEST_F(TimeRangeTest, IsAbsentWhereDelaysDoNotGrow) {
  const Row row = row_of("by-rank", 64_KiB);

  EXPECT_EQ(row.time_min, row.time_max);
  EXPECT_EQ(row.range_reason, "");
}

// Two steps of 0.55 us each are later by their delays of up to 1 ns, and by no more.
TEST_F(TimeRangeTest, IsAbsentWhereShortMessagesAreLateByTheirDelaysAlone) {
  NodeTypeSpec type = two_nodes().node_types[0];
  type.sockets[0].memory = 40_GBps;
  type.sockets[0].root_complexes[0].devices[0].cable.latency = Seconds{0};
  Scenario scenario = scenario_on(machines::cluster_of(type, 1), 2, 1_KiB);
  scenario.algorithms = {"recursive-halving-doubling"};
  scenario.transport.p2p = std::nullopt;
  scenario.transport.message_overhead = Seconds{0.5e-6};

  const Row row = rows_of(scenario).at(0);

  EXPECT_LT(row.time, Seconds{2e-6});
  EXPECT_EQ(row.time_min, row.time_max);
  EXPECT_EQ(row.range_reason, "");
}

}  // namespace
}  // namespace ringcast
