// What NCCL's tuner expected from 2.8 to 2.22 (nccl_older_tables.hpp).
#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"

namespace ringcast {
namespace {

NcclMachine of_release(NcclMachine machine, NcclVersion version) {
  machine.version = version;
  return machine;
}

/// The latency of two nodes of A100: of a buffer that takes no time.
double latency_of(NcclVersion version, const std::string& protocol) {
  return estimate_of(of_release(two_nodes_of_a100(), version), 1_B, protocol);
}

double bandwidth_of(const NcclMachine& machine, const std::string& protocol) {
  const Bytes size = 1_GiB;
  return static_cast<double>(size.count()) /
         (estimate_of(machine, 2 * size, protocol) - estimate_of(machine, size, protocol));
}

constexpr double no_time = 1e-10;  // for a byte

// 14 hops in the nodes and two between them: 28 us each until 2.22, without a call's overhead; then
// 8.4 + 14 x 4 + 2 x 14.
TEST(NcclOlderTables, ExpectedSlowTreesOfSimple) {
  EXPECT_NEAR(latency_of({2, 8}, "tree/Simple"), 16 * 28e-6, no_time);
  EXPECT_NEAR(latency_of({2, 22}, "tree/Simple"), 16 * 28e-6, no_time);
  EXPECT_NEAR(latency_of({2, 23}, "tree/Simple"), 92.4e-6, no_time);
}

// Two of the 30 hops of a ring cross the network, from 2.17 to 2.22 four. LL128: 14 us and 1.9 us
// in a node, before 2.18 10 us, and 4 us between nodes.
TEST(NcclOlderTables, CountedFourCrossingsOfARing) {
  EXPECT_NEAR(latency_of({2, 16}, "ring/LL128"), 10e-6 + 28 * 1.9e-6 + 2 * 4e-6, no_time);
  EXPECT_NEAR(latency_of({2, 17}, "ring/LL128"), 10e-6 + 26 * 1.9e-6 + 4 * 4e-6, no_time);
  EXPECT_NEAR(latency_of({2, 22}, "ring/LL128"), 14e-6 + 26 * 1.9e-6 + 4 * 4e-6, no_time);
  EXPECT_NEAR(latency_of({2, 23}, "ring/LL128"), 14e-6 + 28 * 1.9e-6 + 2 * 4e-6, no_time);
  const NcclMachine node = of_release(eight_h100(), {2, 20});
  EXPECT_NEAR(estimate_of(node, 1_B, "ring/LL128"), 14e-6 + 14 * 1.9e-6, no_time);
}

// Before 2.18 a hop of LL in a node takes 1.8 times as long if there are several nodes: 0.52 us on
// trees, 0.47 on rings. From then on a hop of a ring takes at least the proxy's 1 us.
TEST(NcclOlderTables, ExpectedSlowerHopsOfLlBetweenNodes) {
  EXPECT_NEAR(latency_of({2, 16}, "tree/LL"), 4.4e-6 + 14 * 1.8 * 0.52e-6 + 2 * 5e-6, no_time);
  EXPECT_NEAR(latency_of({2, 16}, "ring/LL"), 3.6e-6 + 28 * 1.8 * 0.47e-6 + 2 * 2.7e-6, no_time);
  EXPECT_NEAR(latency_of({2, 18}, "ring/LL"), 6.6e-6 + 26 * 1e-6 + 4 * 2.7e-6, no_time);
  const NcclMachine node = of_release(eight_h100(), {2, 16});
  EXPECT_NEAR(estimate_of(node, 1_B, "ring/LL"), 3.6e-6 + 14 * 0.47e-6, no_time);
}

// Over PCIe a hop of LL takes 1 us: 4 ranks in a node, 6 hops.
TEST(NcclOlderTables, HaveLatenciesOverPcie) {
  NcclMachine node = of_release(eight_h100(), {2, 16});
  node.nvlink = false;
  node.ranks = 4;
  EXPECT_NEAR(estimate_of(node, 1_B, "ring/LL"), 3.6e-6 + 6 * 1e-6, no_time);
}

// Before 2.18 the plateau begins at 64 KiB for 16 ranks: 1.9 times 8.4 + 26 x 3.4 + 4 x 9.6 us on
// A100, 1.5 times on Hopper.
TEST(NcclOlderTables, BeganThePlateauAt64KiB) {
  NcclMachine machine = of_release(two_nodes_of_a100(), {2, 17});
  const auto rise = [&] {
    return estimate_of(machine, 64_KiB, "ring/Simple") -
           estimate_of(machine, 65535_B, "ring/Simple");
  };
  EXPECT_NEAR(rise(), 0.9 * 135.2e-6, no_time);
  machine.gpus.generation = GpuGeneration::hopper;
  EXPECT_NEAR(rise(), 0.5 * 135.2e-6, no_time);
}

// A ring carries at most 235 GB/s on A100 and 370 on Hopper before 2.18: times 16/30.
TEST(NcclOlderTables, LimitedTheBus) {
  NcclMachine machine = two_nodes_of_a100();
  machine.in_node = machine.between = BytesPerSecond{480e9};
  const auto ring = [&](NcclVersion version) {
    return bandwidth_of(of_release(machine, version), "ring/Simple") * 30 / 16;
  };
  EXPECT_NEAR(ring({2, 17}), 235e9, 1e3);
  EXPECT_GT(ring({2, 18}), 235e9);
  machine.gpus.generation = GpuGeneration::hopper;
  EXPECT_NEAR(ring({2, 17}), 370e9, 1e3);
}

// Before 2.10 a channel of LL128 carries 16.9 GB/s, then 20; one of a tree on A100, between two
// nodes, 22.5, then 23.6. With four rings of two channels, all of 480 GB/s.
TEST(NcclOlderTables, HadSlowChannels) {
  NcclMachine machine = two_nodes_of_a100();
  machine.in_node = machine.between = BytesPerSecond{480e9};
  machine.search.rings = 4;
  const auto bus = [&](NcclVersion version, const std::string& protocol, double ratio) {
    return bandwidth_of(of_release(machine, version), protocol) / ratio;
  };
  EXPECT_NEAR(bus({2, 9}, "ring/LL128", 16.0 / 30), 4 * 16.9e9, 1e3);
  EXPECT_NEAR(bus({2, 10}, "ring/LL128", 16.0 / 30), 4 * 20e9, 1e3);
  EXPECT_NEAR(bus({2, 9}, "tree/LL128", 0.5), 4 * 16.9e9, 1e3);
  EXPECT_NEAR(bus({2, 9}, "tree/Simple", 0.5), 4 * 22.5e9, 1e3);
  EXPECT_NEAR(bus({2, 10}, "tree/Simple", 0.5), 4 * 23.6e9, 1e3);
  // Volta has 18.5 in all of these.
  machine.gpus.generation = GpuGeneration::volta;
  EXPECT_NEAR(bus({2, 9}, "tree/Simple", 0.5), 4 * 18.5e9, 1e3);
}

// One GPU of a node that receives and sends all costs 15 % since 2.18.
TEST(NcclOlderTables, DidNotDerateUnbalancedTrees) {
  NcclMachine machine = two_nodes_of_a100();
  machine.search.balanced_trees = false;
  const double older = bandwidth_of(of_release(machine, {2, 17}), "tree/Simple");
  const double newer = bandwidth_of(of_release(machine, {2, 18}), "tree/Simple");
  EXPECT_NEAR(older, 0.5 * 8 * 23.6e9, 1e3);
  EXPECT_NEAR(newer, 0.85 * older, 1e3);
}

// LL128 on GPUs such as RTX 3090 and L40S since 2.28.
TEST(NcclOlderTables, HadLl128OnSomeGpusOnly) {
  NcclMachine node = eight_h100();
  node.gpus.early_ll128 = false;
  EXPECT_EQ(estimate_of(of_release(node, {2, 27}), 1_MiB, "ring/LL128"), 0);
  EXPECT_GT(estimate_of(of_release(node, {2, 28}), 1_MiB, "ring/LL128"), 0);
  node.gpus.early_ll128 = true;
  EXPECT_GT(estimate_of(of_release(node, {2, 27}), 1_MiB, "ring/LL128"), 0);
}

// Releases before 2.8, Amazon's hosts and RCCL follow the newest.
TEST(NcclOlderTables, AreNotOfAll) {
  const double newest = latency_of(newest_nccl, "tree/Simple");
  EXPECT_NEAR(latency_of({2, 7}, "tree/Simple"), newest, no_time);
  NcclMachine machine = of_release(two_nodes_of_a100(), {2, 8});
  machine.rccl = true;
  EXPECT_NEAR(estimate_of(machine, 1_B, "tree/Simple"), newest, no_time);
  machine.rccl = false;
  machine.reported_latency = Seconds{75e-6};
  EXPECT_NEAR(estimate_of(machine, 1_B, "tree/Simple"), newest, no_time);
}

}  // namespace
}  // namespace ringcast
