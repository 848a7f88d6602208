// The cheapest way against SimGrid on all ranks, of whole predictions.
#include <gmock/gmock.h>

#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class FidelityTest : public PredictTest {
 protected:
  static constexpr int nodes = 16;
  static constexpr int ranks = 4 * nodes;

  /// Nodes of four GPUs and a NIC on a fat tree, where one NIC somewhere is on a tenth of the
  /// others' PCIe.
  [[nodiscard]] Scenario with_one_slow_nic(Bytes size) const {
    ClusterSpec cluster = machines::on_fat_tree(box("box", machines::nics(1)), nodes, 2, 8);
    DeviceSpec slow = machines::nics(1);
    slow.cable.bandwidth = 1_GBps;
    cluster.node_types.push_back(box("lame", slow));
    cluster.nodes = {{"box", 5}, {"lame", 1}, {"box", nodes - 6}};
    Scenario scenario = scenario_on(cluster, ranks, size);
    scenario.transport.message_overhead = 5_us;
    scenario.transport.reduce_rate = 50_GBps;
    return scenario;
  }
  static Row row_of(const Scenario& scenario, Fidelity fidelity) {
    return predict(scenario, {.fidelity = fidelity}).rows.at(0);
  }
  static NodeTypeSpec box(const std::string& name, const DeviceSpec& nic) {
    return {name, {machines::socket({machines::gpus(4), nic})}, std::nullopt, {}, std::nullopt};
  }
};

// The step of the slow NIC, there and in the node behind it, is the slowest one: 2 (n - 1) of
// them, chunk / 1 GB/s each, and latencies.
TEST_F(FidelityTest, GivesTheTimeOfAllRanksWithOneSlowNic) {
  for (const Bytes more : {0_B, 4_B, 100_B}) {  // chunks are equal, or differ by an element
    const Scenario scenario = with_one_slow_nic(64_MiB + more);
    const Row cheapest = row_of(scenario, Fidelity::cheapest);
    const Row simulated = row_of(scenario, Fidelity::simgrid);

    const double transfer = 2 * (ranks - 1) * (Bytes{(64_MiB).count() / ranks} / 1_GBps).count();
    EXPECT_EQ(cheapest.found_by, "recurrence");
    EXPECT_EQ(simulated.found_by, "simulated");
    EXPECT_EQ(cheapest.time_error_bound, 0);
    EXPECT_NEAR(cheapest.time / simulated.time, 1, 1e-9);
    EXPECT_GT(cheapest.time.count(), transfer);
    EXPECT_LT(cheapest.time.count(), 1.1 * transfer);
    EXPECT_EQ(cheapest.messages, simulated.messages);
  }
}

// 16 rings that cross the network at each hop share the NICs; 64 MiB and an element more are
// chunks of 8,192 elements, or of one more. Messages are more than are simulated on all ranks. A
// step takes the latency of four PCIe cables and two of the network, 4 x 1 us + 2 x 2 us, and 64
// chunks on each NIC. Of a NIC it is only known that its bytes, shorter by 1/8192 at most, begin
// after a latency and take their time.
TEST_F(FidelityTest, BoundsTheTimeWhereLongerChunksShareLinks) {
  Scenario scenario =
      scenario_on(machines::on_one_switch(box("box", machines::nics(1)), 32), 128, 64_MiB + 4_B);
  scenario.ring_orders = {{"interleaved", {}}};
  scenario.channels = {16};
  const Row row = row_of(scenario, Fidelity::cheapest);

  EXPECT_THAT(row.found_by, ::testing::MatchesRegex("folded to [0-9]* of 128"));
  const Seconds transfer = 64 * (8193 * 4_B / 6_GBps);
  const double steps = 2 * (128 - 1);
  const Seconds least = (1 - 1.0 / 8192) * (8_us + steps * transfer);
  ASSERT_TRUE(row.time_error_bound.has_value());
  EXPECT_NEAR(row.time / (steps * (8_us + transfer)), 1, 1e-9);
  EXPECT_NEAR(*row.time_error_bound, 1 - least / row.time, 1e-9);
  const Row alone = predict(scenario, {.with_bounds = false}).rows.at(0);
  EXPECT_EQ(alone.time, row.time);
  EXPECT_FALSE(alone.time_error_bound.has_value());
}

// Both directions of a ring share cables here and there: bounds do not meet. With latencies of 60
// us beside transfers of 64 KiB / (2 x 128) / (6 GB/s) = 0.04 us they are close.
TEST_F(FidelityTest, BoundsRingsThatAreTooLongToSimulate) {
  ClusterSpec spec = machines::on_one_switch(box("box", machines::nics(1)), 32);
  spec.single_switch.value().cable.latency = 30_us;
  Scenario scenario = scenario_on(std::move(spec), 128, 64_KiB);
  scenario.algorithms = {"two-way-ring"};
  const Row simulated = row_of(scenario, Fidelity::cheapest);
  const Row bounded = predict(scenario, {.most_messages = 10}).rows.at(0);

  EXPECT_THAT(simulated.found_by, ::testing::StartsWith("folded to "));
  EXPECT_EQ(bounded.found_by, "recurrence");
  ASSERT_TRUE(bounded.time_error_bound.has_value());
  EXPECT_GT(*bounded.time_error_bound, 0);
  EXPECT_LT(*bounded.time_error_bound, 0.01);
  EXPECT_LE(simulated.time, bounded.time);
  EXPECT_GE(simulated.time, (1 - *bounded.time_error_bound) * bounded.time);
  EXPECT_EQ(simulated.messages, bounded.messages);
}

// The same rings, whose ranks spend 100 us on each message: 2 x 2 (128 - 1) of them take longer
// than 2 (128 - 1) steps of one each. The bounds of the steps say nothing of the longer time.
TEST_F(FidelityTest, BoundsTheTimeByTheOverheadsOfARank) {
  ClusterSpec spec = machines::on_one_switch(box("box", machines::nics(1)), 32);
  spec.single_switch.value().cable.latency = 30_us;
  Scenario scenario = scenario_on(std::move(spec), 128, 64_KiB);
  scenario.algorithms = {"two-way-ring"};
  scenario.transport.message_overhead = 100_us;
  const Row row = predict(scenario, {.most_messages = 10}).rows.at(0);

  EXPECT_EQ(row.found_by, "recurrence, overheads of a rank's messages");
  EXPECT_NEAR(row.time / (2 * 2 * (128 - 1) * 100_us), 1, 1e-12);
  EXPECT_EQ(row.time_error_bound, 0);
}

}  // namespace
}  // namespace ringcast
