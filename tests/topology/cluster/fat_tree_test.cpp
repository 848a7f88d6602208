#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

struct Tree {
  const char* name;
  int nodes, levels, radix;
  double oversubscription;
  long leaves, spines, cores;
  std::size_t cables;  // without the nodes' own two each and the root complex's
};

class FatTrees : public ::testing::TestWithParam<Tree> {};

TEST_P(FatTrees, HaveTheSwitchesAndCablesOfTheArithmetic) {
  const Tree& tree = GetParam();
  const Cluster cluster = build_cluster(
      on_fat_tree(least(), tree.nodes, tree.levels, tree.radix, tree.oversubscription));

  const auto named = [&](std::string_view prefix) {
    return std::ranges::count_if(cluster.vertices,
                                 [&](const Vertex& v) { return v.name.starts_with(prefix); });
  };
  EXPECT_EQ(named("leaf"), tree.leaves);
  EXPECT_EQ(named("spine"), tree.spines);
  EXPECT_EQ(named("core"), tree.cores);
  EXPECT_EQ(cluster.cables.size() - 3 * static_cast<std::size_t>(tree.nodes), tree.cables);
}

TEST_P(FatTrees, UseNoMorePortsThanTheRadix) {
  const Tree& tree = GetParam();
  const Cluster cluster = build_cluster(
      on_fat_tree(least(), tree.nodes, tree.levels, tree.radix, tree.oversubscription));

  std::vector<int> ports(cluster.vertices.size());
  for (const Cable& cable : cluster.cables) {
    ++ports[static_cast<std::size_t>(cable.a)];
    ++ports[static_cast<std::size_t>(cable.b)];
  }
  for (std::size_t vertex = 0; vertex < ports.size(); ++vertex) {
    if (cluster.vertices[vertex].kind == VertexKind::network_switch) {
      EXPECT_LE(ports[vertex], tree.radix) << cluster.vertices[vertex].name;
    }
  }
}

// Leaves: nodes / down, rounded up. Uplinks: leaves * up. Spines: the fewest that divide up and
// have the ports. With cores: pods of radix / 2 leaves; each spine has radix / 2 cables up.
INSTANTIATE_TEST_SUITE_P(
    Sizes, FatTrees,
    ::testing::Values(
        // 8 leaves of 18 + 18; 144 uplinks on spines of 36 ports: 4, but 6 is the next divisor of
        // 18
        Tree{"nodes128_radix36", 128, 2, 36, 1, 8, 6, 0, 128 + 144},
        // full: 36 leaves, 18 spines, a cable each
        Tree{"nodes648_radix36", 648, 2, 36, 1, 36, 18, 0, 648 + 648},
        // 2:1: 24 down and 12 up; 6 leaves, 72 uplinks, 2 spines with 6 parallel cables per leaf
        Tree{"nodes144_radix36_2to1", 144, 2, 36, 2, 6, 2, 0, 144 + 72},
        // 1.667 is 5:3: 40 down and 24 up; 2 leaves with 48 uplinks on 1 spine
        Tree{"nodes80_radix64_5to3", 80, 2, 64, 1.667, 2, 1, 0, 80 + 48},
        // one leaf needs no spine
        Tree{"nodes4_radix8", 4, 2, 8, 1, 1, 0, 0, 4},
        // full 3 levels: 8 pods of 4 leaves and 4 spines; 32 * 4 uplinks twice; 16 cores
        Tree{"nodes128_radix8_3levels", 128, 3, 8, 1, 32, 32, 16, 128 + 128 + 128},
        // 2:1 on radix 12: 8 down, 4 up; 10 leaves in 2 pods of 6; 6 * 4 uplinks of a pod on spines
        // with 6 ports down: 4 spines; 2 pods * 6 up = 12 cables per group: 1 core
        Tree{"nodes80_radix12_2to1_3levels", 80, 3, 12, 2, 10, 8, 4, 80 + 40 + 48},
        // all in one pod needs no core
        Tree{"nodes16_radix8_3levels", 16, 3, 8, 1, 4, 4, 0, 16 + 16}),
    [](const auto& test) { return test.param.name; });

// 65,536 pods of 32,768 leaves.
TEST(FatTree, HasMoreLeavesThanAnIntCounts) {
  EXPECT_NO_THROW(build_cluster(on_fat_tree(least(), 2, 3, 65'536, 1)));
}

TEST(FatTree, KeepsRailsApartOnTheLeaves) {
  // Radix 16: 8 NICs down. 16 nodes with 8 rails: 2 leaves per rail, those of 8 nodes together.
  const Cluster cluster = build_cluster(on_fat_tree(eight_rails(), 16, 2, 16, 1, 8));

  EXPECT_EQ(neighbours(cluster, "leaf3", "node").size(), 8U);
  EXPECT_EQ(neighbours(cluster, "leaf3", "node").front(), "node0.nic3");
  EXPECT_EQ(neighbours(cluster, "leaf3", "node").back(), "node7.nic3");
  EXPECT_EQ(neighbours(cluster, "leaf11", "node").front(), "node8.nic3");
}

TEST(FatTree, SpreadsParallelUplinksEvenly) {
  const Cluster cluster = build_cluster(on_fat_tree(least(), 128, 2, 36));

  for (int spine = 0; spine < 6; ++spine) {
    EXPECT_EQ(neighbours(cluster, "leaf7", "spine" + std::to_string(spine)).size(), 3U);
  }
}

TEST(FatTree, TakesItsOwnUplinkCable) {
  ClusterSpec spec = on_fat_tree(least(), 8, 2, 8);
  spec.fat_tree->uplink = cable("infiniband-edr-4x", 12);

  const Cluster cluster = build_cluster(spec);

  EXPECT_EQ(cable_between(cluster, "leaf0", "spine0").bandwidth, 12_GBps);
  EXPECT_EQ(cable_between(cluster, "leaf0", "node0.nic0").bandwidth, 6_GBps);
}

// Radix 12 at 2:1 as above: each leaf has 4 cables up, each of 4 spines of a pod has 6.
TEST(FatTree, RepresentsEqualSwitchesByOneWithAdaptiveRouting) {
  ClusterSpec spec = on_fat_tree(least(), 80, 3, 12, 2);
  spec.fat_tree->uplink = cable("up", 12);
  spec.fat_tree->adaptive_routing = true;

  const Cluster cluster = build_cluster(spec);

  EXPECT_EQ(neighbours(cluster, "spine0", "leaf").size(), 6U);
  EXPECT_EQ(neighbours(cluster, "spine1", "leaf").size(), 4U);
  EXPECT_EQ(neighbours(cluster, "core0", "spine"), (std::vector<std::string>{"spine0", "spine1"}));
  EXPECT_EQ(cluster.cables.size(), 80U * 4 + 10 + 2);
  for (const auto& [lower, upper, cables] :
       {std::tuple{"leaf9", "spine1", 4}, std::tuple{"spine1", "core0", 4 * 6}}) {
    const Cable trunk = cable_between(cluster, lower, upper);
    EXPECT_EQ(trunk.bandwidth, cables * 12_GBps);
    EXPECT_EQ(trunk.latency, 1_us);
    EXPECT_EQ(trunk.link_class, fmt::format("{} x up", cables));
  }
}

}  // namespace
}  // namespace ringcast
