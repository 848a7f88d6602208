#include "topology/routes/lower_bound.hpp"

#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {
namespace {

LowerBound bound_of(const Topology& topology, int ranks, Bytes buffer) {
  return allreduce_lower_bound(topology, places_of_ranks(topology, ranks, {}), buffer);
}

using namespace machines;

constexpr Bytes large_buffer{1'200'000'000};

TEST(LowerBound, OfBaidusMachineComesFromTheNicsOfItsNodes) {
  const Topology topology{build_cluster(on_one_switch(dual_root(), 5))};

  const LowerBound bound = bound_of(topology, 40, large_buffer);

  // Cut at a NIC: 1.2 / 6 = 0.2 s. GPUs: 2 * 39 * 1.2 / (40 * 10) = 0.234 s.
  // Nodes: 2 * 4 * 1.2 / (5 * 6) = 0.32 s.
  EXPECT_NEAR(bound.time.count(), 0.32, 1e-12);
  EXPECT_EQ(bound.reason, "the NICs of 5 nodes (5 x 6 GB/s)");
}

TEST(LowerBound, InOneNodeComesFromTheSocketCable) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  const LowerBound bound = bound_of(topology, 8, large_buffer);

  // QPI parts 4 from 4: 1.2 / 6 = 0.2 s. GPUs: 2 * 7 * 1.2 / (8 * 10) = 0.21 s.
  EXPECT_NEAR(bound.time.count(), 0.21, 1e-12);
  EXPECT_EQ(bound.reason, "the ports of 8 GPUs (8 x 10 GB/s)");
}

/// With a helper beside a GPU of `node`.
LowerBound helped_bound_of(const ClusterSpec& spec, int ranks, int node) {
  const Topology topology{build_cluster(spec)};
  const std::vector<int> helper{places_of_ranks(topology, 8 * node + 1, {}).back()};
  return allreduce_lower_bound(topology, places_of_ranks(topology, ranks, {}), large_buffer,
                               helper);
}

// Whoever combines, all of a GPU's data leaves it, by 6 NVLinks of 20 GB/s and PCIe's 10 GB/s: 1.2
// / 130 s. That of a node leaves it by 8 NICs of 6 GB/s: 1.2 / 48 s.
TEST(LowerBound, WithHelpersComesFromTheWeakestPorts) {
  const LowerBound alone = helped_bound_of(cluster_of(eight_rails(), 1), 8, 0);
  EXPECT_NEAR(alone.time.count(), 1.2 / 130, 1e-12);
  EXPECT_EQ(alone.reason, "the ports of one of 8 GPUs (130 GB/s)");

  const LowerBound outside = helped_bound_of(on_one_switch(eight_rails(), 4, 8), 24, 3);
  EXPECT_NEAR(outside.time.count(), 1.2 / 48, 1e-12);
  EXPECT_EQ(outside.reason, "the NICs of one of 3 nodes (48 GB/s)");
}

// 2 x 2 x 1.2 / (3 x 48) s.
TEST(LowerBound, IsNoLowerBetweenNodesThatHelpersAreIn) {
  const LowerBound inside = helped_bound_of(on_one_switch(eight_rails(), 3, 8), 24, 1);
  EXPECT_NEAR(inside.time.count(), 4 * 1.2 / 144, 1e-12);
  EXPECT_EQ(inside.reason, "the NICs of 3 nodes (3 x 48 GB/s)");
}

TEST(LowerBound, TakesTheNarrowestCut) {
  NodeTypeSpec type = dual_root();
  type.socket_cable = cable("custom", 4);
  const Topology topology{build_cluster(cluster_of(type, 1))};

  const LowerBound bound = bound_of(topology, 8, large_buffer);

  // 1.2 / 4 = 0.3 s, more than the GPUs' 0.21 s
  EXPECT_NEAR(bound.time.count(), 0.3, 1e-12);
  EXPECT_EQ(bound.reason,
            "the cable node0.socket0 - node0.socket1 between 4 of the ranks and the other 4 "
            "(4 GB/s)");
}

TEST(LowerBound, CountsParallelCablesOfACutAsOne) {
  ClusterSpec spec = cluster_of(least(), 4);
  spec.explicit_fabric = ExplicitFabricSpec{{"left", "right"},
                                            {{"node0.nic0", "left", fdr()},
                                             {"node1.nic0", "left", fdr()},
                                             {"node2.nic0", "right", fdr()},
                                             {"node3.nic0", "right", fdr()},
                                             {"left", "right", cable("custom", 1)},
                                             {"right", "left", cable("custom", 1)}}};
  const Topology topology{build_cluster(spec)};

  const LowerBound bound = bound_of(topology, 4, large_buffer);

  // 1.2 / (1 + 1) = 0.6 s; the nodes need 2 * 3 * 1.2 / (4 * 6) = 0.3 s
  EXPECT_NEAR(bound.time.count(), 0.6, 1e-12);
  EXPECT_EQ(bound.reason,
            "the 2 cables left - right between 2 of the ranks and the other 2 (2 GB/s)");
}

/// 16 nodes of 8 GPUs and 8 NICs, two on each leaf, whose 4 uplinks of 6 GB/s end at 2 spines.
ClusterSpec sixteen_to_four() {
  return on_fat_tree(eight_rails(), 16, 2, 20, 4);
}

// Leaves: 2 x 7 x 1.2 / (8 x 24). Nodes, with 48 GB/s: 2 x 15 x 1.2 / (16 x 48) = 0.047 s.
TEST(LowerBound, ComesFromTheUplinksOfOversubscribedLeaves) {
  const LowerBound bound = bound_of(Topology{build_cluster(sixteen_to_four())}, 128, large_buffer);

  EXPECT_NEAR(bound.time.count(), 0.0875, 1e-12);
  EXPECT_EQ(bound.reason, "the uplinks of 8 groups of nodes (8 x 24 GB/s)");
}

// Spines that sum need each leaf's data once: 1.2 / 24.
TEST(LowerBound, WithHelpersComesFromTheUplinksOfOneLeaf) {
  const LowerBound bound = helped_bound_of(sixteen_to_four(), 112, 14);

  EXPECT_NEAR(bound.time.count(), 0.05, 1e-12);
  EXPECT_EQ(bound.reason, "the uplinks of one of 7 groups of nodes (24 GB/s)");
}

/// Four nodes, each on a leaf of its own, whose two spines are those of another leaf, too.
ClusterSpec two_pods(double first_leaf, double core) {
  const auto nic = [](int node) { return fmt::format("node{}.nic0", node); };
  const auto leaf = [](int node) { return fmt::format("leaf{}", node); };
  ClusterSpec spec = cluster_of(least(), 4);
  spec.explicit_fabric.emplace();
  ExplicitFabricSpec& fabric = *spec.explicit_fabric;
  fabric.switches = {"core0", "core1"};
  for (int node = 0; node < 4; ++node) {
    fabric.switches.push_back(leaf(node));
    fabric.switches.push_back(fmt::format("spine{}", node));
    fabric.cables.push_back({nic(node), leaf(node), fdr()});
    fabric.cables.push_back(
        {fmt::format("spine{}", node), fmt::format("core{}", node % 2), cable("custom", core)});
    for (const int spine : {node / 2 * 2, node / 2 * 2 + 1})
      fabric.cables.push_back(
          {leaf(node), fmt::format("spine{}", spine), cable("custom", node == 0 ? first_leaf : 3)});
  }
  return spec;
}

// 2 x 1 x 1.2 / (2 x 2)
TEST(LowerBound, ComesFromTheUplinksOfPods) {
  const LowerBound bound = bound_of(Topology{build_cluster(two_pods(3, 1))}, 4, large_buffer);

  EXPECT_NEAR(bound.time.count(), 0.6, 1e-12);
  EXPECT_EQ(bound.reason, "the uplinks of 2 groups of nodes (2 x 2 GB/s)");
}

// 1.2 / 1; all leaves together: 2 x 3 x 1.2 / (1 + 3 x 6) = 0.38 s.
TEST(LowerBound, ComesFromTheWeakestLeaf) {
  const LowerBound bound = bound_of(Topology{build_cluster(two_pods(0.5, 3))}, 4, large_buffer);

  EXPECT_NEAR(bound.time.count(), 1.2, 1e-12);
  EXPECT_EQ(bound.reason, "the uplinks of one of 4 groups of nodes (1 GB/s)");
}

TEST(LowerBound, AddsUpAllCablesThatLeaveANode) {
  const Topology topology{build_cluster(on_one_switch(eight_rails(), 2, 8))};

  const LowerBound bound = bound_of(topology, 16, large_buffer);

  // Nodes: 2 * 1 * 1.2 / (2 * 8 * 6) = 0.025 s.
  // GPUs, 10 over PCIe and 6 * 20 over NVLink: 2 * 15 * 1.2 / (16 * 130) = 0.0173 s.
  EXPECT_NEAR(bound.time.count(), 0.025, 1e-12);
  EXPECT_EQ(bound.reason, "the NICs of 2 nodes (2 x 48 GB/s)");
}

TEST(LowerBound, LooksOnlyAtTheRanksOfTheJob) {
  const Topology topology{build_cluster(on_one_switch(dual_root(), 5))};

  const LowerBound two_nodes = bound_of(topology, 16, large_buffer);
  const LowerBound one_switch = bound_of(topology, 2, large_buffer);

  // Two nodes: 2 * 1 * 1.2 / (2 * 6) = 0.2 s, and the GPUs 2 * 15 * 1.2 / (16 * 10) = 0.225 s.
  EXPECT_NEAR(two_nodes.time.count(), 0.225, 1e-12);
  // GPUs 0 and 1: 2 * 1 * 1.2 / (2 * 10) = 0.12 s, as the cable of either: 1.2 / 10.
  EXPECT_NEAR(one_switch.time.count(), 0.12, 1e-12);
}

TEST(LowerBound, NamesTheSumOfUnevenParties) {
  NodeTypeSpec type = least();
  type.sockets.front().root_complexes.front().devices.push_back(
      {VertexKind::gpu, 1, cable("custom", 30), {}});
  const Topology topology{build_cluster(cluster_of(type, 1))};

  const LowerBound bound = bound_of(topology, 2, large_buffer);

  // 2 * 1 * 1.2 / (10 + 30) = 0.06 s, but gpu0's cable is a cut: 1.2 / 10 = 0.12 s
  EXPECT_NEAR(bound.time.count(), 0.12, 1e-12);
  EXPECT_EQ(bound.reason,
            "the cable node0.root0 - node0.gpu0 between 1 of the ranks and the other 1 (10 GB/s)");
}

// Three nodes have 8 NICs of 6 GB/s, one has two: 1.2 / 12 = 0.1 s; all together: 2 x 3 x 1.2 / (3
// x 48 + 12) = 0.046 s; each GPU has far more.
TEST(LowerBound, ComesFromTheNodeWithTheFewestNics) {
  ClusterSpec spec = on_one_switch(eight_rails(), 3);
  NodeTypeSpec few = eight_rails();
  few.name = "few";
  few.sockets = {socket({gpus(8), nics(2)})};
  few.socket_cable.reset();
  spec.node_types.push_back(few);
  spec.nodes.push_back({few.name, 1});
  const LowerBound bound = bound_of(Topology{build_cluster(spec)}, 32, large_buffer);

  EXPECT_NEAR(bound.time.count(), 0.1, 1e-12);
  EXPECT_EQ(bound.reason, "the NICs of one of 4 nodes (12 GB/s)");
}

// Two nodes, whose NICs carry 6 GB/s each way but 8 both ways together: 4 each way.
TEST(LowerBound, HalvesWhatBothDirectionsShare) {
  Cluster cluster = build_cluster(on_one_switch(least(), 2));
  for (Cable& each : cluster.cables)
    if (cluster.vertices[static_cast<std::size_t>(each.b)].node < 0)
      each.both_ways = BytesPerSecond{8e9};
  EXPECT_NEAR(bound_of(Topology{std::move(cluster)}, 2, large_buffer).time.count(), 0.3, 1e-12);
}

TEST(LowerBound, IsZeroWhereNothingIsExchanged) {
  const Topology topology{build_cluster(on_one_switch(least(), 2))};

  EXPECT_EQ(bound_of(topology, 1, large_buffer).time, Seconds{0});
  EXPECT_EQ(bound_of(topology, 2, Bytes{0}).time, Seconds{0});
  EXPECT_EQ(bound_of(topology, 1, large_buffer).reason, "nothing to exchange");
}

TEST(LowerBound, RefusesMoreRanksThanThereAre) {
  const Topology topology{build_cluster(on_one_switch(least(), 2))};

  EXPECT_THROW((void)bound_of(topology, 3, large_buffer), ContractViolation);
  EXPECT_THROW((void)bound_of(topology, 0, large_buffer), ContractViolation);
}

}  // namespace
}  // namespace ringcast
