// Calibrating a simulated machine finds its parameters.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "app/calibrate/machine_files.hpp"
#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/app/calibrate/simulated_calibration.hpp"
#include "tests/app/temporary_folder.hpp"
#include "tests/sim/machines.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {
namespace {

/// `count` hosts of `processes` ranks whose cores copy 4 GB/s; NICs of 1 GB/s each way; 10 us from
/// host to host.
std::string hosts(int processes, int count, const std::string& fabric,
                  const std::string& memory = "") {
  return fmt::format(R"(name: true machine
links:
  core: {{bandwidth: 4 GB/s, latency: 0.3 us, source: test}}
  slot: {{bandwidth: 1 GB/s, latency: 0, source: test}}
  card: {{bandwidth: 1 GB/s, latency: 5 us, source: test}}
  slow: {{bandwidth: 590 MB/s, latency: 5 us, source: test}}
  up: {{bandwidth: 2 GB/s, latency: 0, source: test}}
node_types:
  host:
    sockets:
      - processes: {}
        process_link: core
{}        root_complexes: [{{devices: [{{kind: nic, link: slot}}]}}]
nodes: [{{type: host, count: {}}}]
{})",
                     processes, memory, count, fabric);
}

std::string nics_at(const std::vector<std::string>& switches, int slow = -1) {
  std::string cables;
  for (std::size_t node = 0; node < switches.size(); ++node) {
    cables += fmt::format("    - {{from: node{}.nic0, to: {}, link: {}}}\n", node, switches[node],
                          static_cast<int>(node) == slow ? "slow" : "card");
  }
  return cables;
}

TransportProfile profile() {
  return {.name = "test",
          .host_copies = 1,
          .message_overhead = Seconds{2e-6},
          .overheads = {{PathKind::host_memory, Seconds{0.5e-6}}},
          .reduce_rate = BytesPerSecond{3e9},
          .fused_reduction = true};
}

Calibration calibrated(const ClusterSpec& cluster, const TransportProfile& transport) {
  return testing::simulated_calibration(build_cluster(cluster), transport, testing::small_effort());
}

Calibration noisy(Calibration calibration, double part) {
  std::mt19937 random{7};
  std::normal_distribution<double> noise{0, part};
  for (ProbeSample& each : calibration.samples) {
    for (Seconds& time : each.sample.times) {
      time *= std::exp(noise(random));
    }
  }
  return calibration;
}

struct Files {
  ClusterSpec cluster;
  TransportProfile transport;
};

Files written(const MachineModel& model) {
  const TemporaryFolder folder;
  const MeasuredAt at{"h0", "2026-01-01 12:00:00 UTC"};
  folder.write("machine.yaml", scenario_yaml(model, at));
  return {read_cluster(folder / "machine.yaml"), read_transport(folder / "machine.yaml")};
}

ClusterSpec read(const std::string& yaml) {
  return read_cluster(yaml_of("cluster.yaml", yaml));
}

double ring_time(const ClusterSpec& cluster, const TransportProfile& transport,
                 std::uint64_t elements) {
  return testing::number_from_fork([&] {
    const Topology topology{build_cluster(cluster)};
    return testing::simulated_time(topology.cluster(), transport,
                                   testing::ring_program(topology.ranks(), elements))
        .count();
  });
}

void expect_same_times(const Files& found, const ClusterSpec& cluster,
                       const TransportProfile& transport, double part) {
  for (const std::uint64_t elements : {256ULL, 262'144ULL, 16'777'216ULL}) {
    const double expected = ring_time(cluster, transport, elements);
    EXPECT_NEAR(ring_time(found.cluster, found.transport, elements), expected, part * expected)
        << elements << " elements";
  }
}

void expect_within(double found, double expected, double part) {
  EXPECT_NEAR(found, expected, part * expected);
}

const std::string one_switch = "fabric: {kind: switch, link: card}\n";

TEST(Calibrate, FindsTheNumbersOfAStar) {
  const ClusterSpec cluster = read(hosts(1, 4, one_switch));

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  ASSERT_TRUE(model.network);
  EXPECT_FALSE(model.node);
  expect_within(model.network->cost.bandwidth.value(), 1e9, 0.01);
  expect_within(model.network->cost.latency.count(), 10e-6, 0.01);
  expect_within(model.network->cost.overhead.count(), 2e-6, 0.01);
  EXPECT_FALSE(model.network->cost.eager_limit);
  EXPECT_EQ(model.both_ways, BytesPerSecond{0});
  EXPECT_EQ(model.fabric.groups.size(), 1U);
  EXPECT_LT(model.network->worst, 0.01);
  EXPECT_TRUE(model.remarks.empty()) << model.remarks.front();
  EXPECT_TRUE(model.is_close());
  expect_same_times(written(model), cluster, profile(), 0.01);
}

TEST(Calibrate, WarnsOfTimesThatScatter) {
  const ClusterSpec cluster = read(hosts(1, 2, one_switch));

  const MachineModel model = machine_model(noisy(calibrated(cluster, profile()), 0.7));

  ASSERT_TRUE(model.network);
  const std::string warning = fmt::format(
      "# between nodes: a residual of {:.0f} % is too large for predictions: calibrate "
      "again while nothing else runs\n",
      100 * model.network->residual);
  EXPECT_NE(machine_table(model).find(warning), std::string::npos) << machine_table(model);
  EXPECT_FALSE(model.is_close());
}

TEST(Calibrate, FindsTheNumbersOfTwoNodesOfSeveralRanks) {
  const ClusterSpec cluster = read(hosts(2, 2, one_switch));

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  ASSERT_TRUE(model.node && model.network);
  expect_within(model.node->cost.bandwidth.value(), 4e9, 0.01);
  expect_within(model.node->cost.latency.count(), 0.3e-6, 0.01);
  expect_within(model.node->cost.overhead.count(), 0.5e-6, 0.01);
  expect_within(model.network->cost.bandwidth.value(), 1e9, 0.01);
  EXPECT_EQ(model.memory, BytesPerSecond{0});
  expect_same_times(written(model), cluster, profile(), 0.01);
}

// Four cores that copy 4 GB/s at once read and write 32 GB/s; the memory has 20, so each gets
// 20 / 8 = 2.5 GB/s.
TEST(Calibrate, FindsTheMemoryThatFourProcessesShare) {
  const std::string yaml = R"(name: one host
node_types:
  host:
    sockets:
      - processes: 4
        process_link: {bandwidth: 4 GB/s, latency: 0.3 us, source: test}
        memory: 20 GB/s
nodes: [{type: host}]
)";
  const ClusterSpec cluster = read(yaml);

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  ASSERT_TRUE(model.node);
  EXPECT_FALSE(model.network);
  expect_within(model.node->cost.bandwidth.value(), 4e9, 0.01);
  expect_within(model.memory.value(), 20e9, 0.01);
  expect_within(model.reduce_rate.value(), 3e9, 0.01);
  EXPECT_TRUE(model.fused);
  expect_same_times(written(model), cluster, profile(), 0.01);
}

TEST(Calibrate, FindsAReductionThatFollowsTheReceive) {
  TransportProfile transport = profile();
  transport.fused_reduction = false;
  const ClusterSpec cluster = read(hosts(1, 2, one_switch));

  const MachineModel model = machine_model(calibrated(cluster, transport));

  EXPECT_FALSE(model.fused);
  expect_within(model.reduce_rate.value(), 3e9, 0.01);
  expect_same_times(written(model), cluster, transport, 0.01);
}

// The ladder's sizes are 8 B, 128 B, 2 KiB, 32 KiB, ...: between 2 and 32 KiB lies the limit.
TEST(Calibrate, FindsTheHandshakeOfLongMessages) {
  TransportProfile transport = profile();
  transport.eager_limit = Bytes{4096};
  transport.rendezvous_handshake = Seconds{20e-6};
  const ClusterSpec cluster = read(hosts(1, 2, one_switch));

  const MachineModel model = machine_model(calibrated(cluster, transport));

  ASSERT_TRUE(model.network->cost.eager_limit);
  EXPECT_EQ(*model.network->cost.eager_limit, Bytes{2048});
  expect_within(model.network->cost.handshake.count(), 20e-6, 0.01);
}

// Both directions of a NIC together 1.2 GB/s, one alone 1 GB/s.
TEST(Calibrate, FindsWhatBothDirectionsShare) {
  std::string yaml = hosts(1, 3, one_switch);
  yaml.replace(yaml.find("latency: 5 us"), 13, "latency: 5 us, both_ways: 1.2 GB/s");
  const ClusterSpec cluster = read(yaml);

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  expect_within(model.both_ways.value(), 1.2e9, 0.01);
  expect_same_times(written(model), cluster, profile(), 0.01);
}

TEST(Calibrate, NamesTheSlowNic) {
  const std::vector<std::string> at(6, "s");
  const ClusterSpec cluster =
      read(hosts(1, 6, "fabric:\n  kind: explicit\n  switches: [s]\n  cables:\n" + nics_at(at, 3)));

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  ASSERT_EQ(model.remarks.size(), 1U);
  EXPECT_EQ(model.remarks.front(), "node3 nic0 (h3) is 41 % slower than its peers");
  expect_within(model.nics[3].value(), 590e6, 0.01);
  expect_within(model.nics[2].value(), 1e9, 0.01);
  expect_same_times(written(model), cluster, profile(), 0.01);
}

std::string two_leaves(const std::vector<std::string>& at) {
  return "fabric:\n  kind: explicit\n  switches: [a, b]\n  cables:\n"
         "    - {from: a, to: b, link: up}\n" +
         nics_at(at);
}

// Leaves of 4 hosts of 1 GB/s, with 2 GB/s between them; the numbers of the hosts do not show the
// leaves.
TEST(Calibrate, FindsLeavesBehindAnUplink) {
  const std::vector<std::string> at{"a", "b", "b", "a", "b", "a", "a", "b"};
  const ClusterSpec cluster = read(hosts(1, 8, two_leaves(at)));

  const MachineModel model = machine_model(calibrated(cluster, profile()));

  ASSERT_EQ(model.fabric.groups.size(), 2U);
  EXPECT_EQ(model.fabric.groups[0].nodes, (std::vector<int>{0, 3, 5, 6}));
  EXPECT_EQ(model.fabric.groups[1].nodes, (std::vector<int>{1, 2, 4, 7}));
  expect_within(model.fabric.groups[0].uplink.value(), 2e9, 0.01);
  EXPECT_GT(model.fabric.explained, 0.99);
  expect_same_times(written(model), cluster, profile(), 0.01);
}

// With 3 % of noise on each median, the numbers from many rows hold to 3 %, and those from the
// costs of few to 10 %.
TEST(Calibrate, ToleratesNoise) {
  const std::vector<std::string> at{"a", "a", "a", "a", "b", "b", "b", "b"};
  const ClusterSpec cluster = read(hosts(1, 8, two_leaves(at)));

  const MachineModel model = machine_model(noisy(calibrated(cluster, profile()), 0.03));

  expect_within(model.network->cost.bandwidth.value(), 1e9, 0.03);
  expect_within(model.usual_nic.value(), 1e9, 0.05);
  expect_within(model.network->cost.latency.count(), 10e-6, 0.1);
  ASSERT_EQ(model.fabric.groups.size(), 2U);
  EXPECT_EQ(model.fabric.groups[0].nodes, (std::vector<int>{0, 1, 2, 3}));
  expect_within(model.fabric.groups[0].uplink.value(), 2e9, 0.05);
  expect_same_times(written(model), cluster, profile(), 0.08);
}

TEST(Calibrate, RefusesASingleRank) {
  EXPECT_THROW(static_cast<void>(machine_model({{"h"}, {0}, 1, {}})), ScenarioError);
}

TEST(Calibration, RefusesTextThatIsNone) {
  EXPECT_THROW(static_cast<void>(calibration_from_json("{")), ScenarioError);
  EXPECT_THROW(static_cast<void>(calibration_from_json("{}")), ScenarioError);
}

}  // namespace
}  // namespace ringcast
