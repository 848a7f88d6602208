#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

long vertices_of(const Cluster& cluster, VertexKind kind) {
  return std::ranges::count(cluster.vertices, kind, &Vertex::kind);
}

const Cable& cable_between(const Cluster& cluster, std::string_view a, std::string_view b) {
  const auto joins = [&](const Cable& cable) {
    const std::string& first = cluster.vertices[static_cast<std::size_t>(cable.a)].name;
    const std::string& second = cluster.vertices[static_cast<std::size_t>(cable.b)].name;
    return (first == a && second == b) || (first == b && second == a);
  };
  const auto found = std::ranges::find_if(cluster.cables, joins);
  if (found == cluster.cables.end()) {
    throw std::out_of_range{"no such cable"};
  }
  return *found;
}

/// The cables of a vertex to vertices whose names begin with `prefix`.
std::vector<std::string> neighbours(const Cluster& cluster, std::string_view name,
                                    std::string_view prefix) {
  std::vector<std::string> found;
  for (const Cable& cable : cluster.cables) {
    const std::string& a = cluster.vertices[static_cast<std::size_t>(cable.a)].name;
    const std::string& b = cluster.vertices[static_cast<std::size_t>(cable.b)].name;
    if (a == name && b.starts_with(prefix)) {
      found.push_back(b);
    } else if (b == name && a.starts_with(prefix)) {
      found.push_back(a);
    }
  }
  return found;
}

std::string refusal_of(const ClusterSpec& spec) {
  return refusal([&] { (void)build_cluster(spec); });
}

TEST(BuildCluster, NamesAndNumbersVerticesDepthFirst) {
  const Cluster cluster = build_cluster(on_one_switch(dual_root(), 2));

  std::vector<std::string> names;
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node == 1) {
      names.push_back(vertex.name);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"node1.socket0", "node1.root0", "node1.sw0",
                                             "node1.gpu0", "node1.gpu1", "node1.sw1", "node1.gpu2",
                                             "node1.gpu3", "node1.nic0", "node1.socket1",
                                             "node1.root1", "node1.sw2", "node1.gpu4", "node1.gpu5",
                                             "node1.sw3", "node1.gpu6", "node1.gpu7"}));
  EXPECT_EQ(cluster.vertices.back().name, "switch0");
  EXPECT_EQ(cluster.vertices.back().node, -1);
  EXPECT_EQ(cluster.node_types, (std::vector<std::string>{"dual-root", "dual-root"}));
}

TEST(BuildCluster, GivesARootComplexWithoutALimitTheSumOfItsDevices) {
  const Cluster cluster = build_cluster(cluster_of(dual_root(), 1));

  // Two switches and a card on the first, two switches on the second, 10 GB/s each.
  EXPECT_EQ(cable_between(cluster, "node0.root0", "node0.socket0").bandwidth, 30_GBps);
  EXPECT_EQ(cable_between(cluster, "node0.root1", "node0.socket1").bandwidth, 20_GBps);
  EXPECT_EQ(cable_between(cluster, "node0.root0", "node0.socket0").link_class, "on-die");
  EXPECT_EQ(cable_between(cluster, "node0.root0", "node0.socket0").source,
            "no limit is known: the sum of the cables below");
}

TEST(BuildCluster, KeepsTheLimitOfARootComplex) {
  NodeTypeSpec type = single_root();
  type.sockets[0].root_complexes[0].cable = cable("custom", 17);

  const Cluster cluster = build_cluster(cluster_of(type, 1));

  EXPECT_EQ(cable_between(cluster, "node0.root0", "node0.socket0").bandwidth, 17_GBps);
}

TEST(BuildCluster, NestsPcieSwitches) {
  NodeTypeSpec type = least();
  type.sockets[0].root_complexes[0].devices = {switches(1, {switches(2, {gpus(2)})})};

  const Cluster cluster = build_cluster(cluster_of(type, 1));

  EXPECT_EQ(neighbours(cluster, "node0.sw0", "node0"),
            (std::vector<std::string>{"node0.root0", "node0.sw1", "node0.sw2"}));
  EXPECT_EQ(neighbours(cluster, "node0.sw2", "node0.gpu"),
            (std::vector<std::string>{"node0.gpu2", "node0.gpu3"}));
}

TEST(BuildCluster, JoinsEachPairOfSockets) {
  NodeTypeSpec type = dual_root();
  type.sockets[0].count = 3;

  const Cluster cluster = build_cluster(cluster_of(type, 1));

  EXPECT_EQ(vertices_of(cluster, VertexKind::cpu), 4);
  for (int socket = 0; socket < 4; ++socket) {
    const std::string name = "node0.socket" + std::to_string(socket);
    EXPECT_EQ(neighbours(cluster, name, "node0.socket").size(), 3U);
  }
}

TEST(BuildCluster, MultipliesNvlinks) {
  const Cluster mesh = build_cluster(cluster_of(dgx1(), 1));
  const Cluster switched = build_cluster(cluster_of(dgx2(), 1));

  EXPECT_EQ(cable_between(mesh, "node0.gpu0", "node0.gpu1").bandwidth, 20_GBps);
  EXPECT_EQ(cable_between(mesh, "node0.gpu0", "node0.gpu4").bandwidth, 40_GBps);
  EXPECT_EQ(cable_between(mesh, "node0.gpu0", "node0.gpu4").link_class, "2 x nvlink-2.0");
  EXPECT_EQ(neighbours(mesh, "node0.gpu0", "node0.gpu").size(), 4U);
  EXPECT_EQ(cable_between(switched, "node0.gpu15", "node0.nvswitch").bandwidth, 120_GBps);
}

TEST(BuildCluster, NumbersRanksOverGroupsOfNodes) {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.node_types.push_back(least());
  spec.nodes.push_back({"least", 3});

  const Topology topology{build_cluster(spec)};

  EXPECT_EQ(topology.ranks(), 19);
  EXPECT_EQ(
      topology.cluster().vertices[static_cast<std::size_t>(topology.vertex_of(Rank{18}))].name,
      "node4.gpu0");
}

TEST(BuildCluster, PutsCardRModuloRailsOnRailR) {
  const Cluster cluster = build_cluster(on_one_switch(eight_rails(), 2, 4));

  EXPECT_EQ(neighbours(cluster, "switch1", "node"),
            (std::vector<std::string>{"node0.nic1", "node0.nic5", "node1.nic1", "node1.nic5"}));
}

struct Tree {
  const char* name;
  int nodes, levels, radix;
  double oversubscription;
  long leaves, spines, cores;
  std::size_t cables;  // without the nodes' own two each and the root complex's
};

class FatTrees : public testing::TestWithParam<Tree> {};

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
    testing::Values(
        // 8 leaves of 18 + 18; 144 uplinks on spines of 36 ports: 4, but 6 is the next divisor of
        // 18
        Tree{"nodes128_radix36", 128, 2, 36, 1, 8, 6, 0, 128 + 144},
        // full: 36 leaves, 18 spines, a cable each
        Tree{"nodes648_radix36", 648, 2, 36, 1, 36, 18, 0, 648 + 648},
        // 2:1: 24 down and 12 up; 6 leaves, 72 uplinks, 2 spines with 6 parallel cables per leaf
        Tree{"nodes144_radix36_2to1", 144, 2, 36, 2, 6, 2, 0, 144 + 72},
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

TEST(FatTree, KeepsRailsApartOnTheLeaves) {
  // Radix 16: 8 cards down. 16 nodes with 8 rails: 2 leaves per rail, those of 8 nodes together.
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

TEST(BuildClusterRefuses, FatTreesThatDoNotComeOutEven) {
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 4)),
            "fat tree: radix 36 at 4:1 gives a leaf 7.2 ports up (expected a whole number from 1 "
            "to 35)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 3, 9, 2)),
            "fat tree: radix 9 (expected an even number: a spine has as many ports up as down)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 4, 36)), "fat tree: levels: 4 (expected 2 or 3)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 1)), "fat tree: radix: 1 (expected at least 2)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 0)),
            "fat tree: oversubscription: 0 (expected more than 0)");
}

TEST(BuildClusterRefuses, FatTreesThatAreTooSmall) {
  // 2 levels: 8 leaves of 4; 3 levels: 8 pods of 4 leaves of 4
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 33, 2, 8)),
            "fat tree: 2 levels of radix 8 at 1:1 with 1 rail are too small for 33 nodes (32 fit)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 129, 3, 8)),
            "fat tree: 3 levels of radix 8 at 1:1 with 1 rail are too small for 129 nodes (128 "
            "fit)");
  // 8 rails on 8 leaves: one each, with 4 cards down
  EXPECT_EQ(refusal_of(on_fat_tree(eight_rails(), 5, 2, 8, 1, 8)),
            "fat tree: 2 levels of radix 8 at 1:1 with 8 rails are too small for 5 nodes (4 fit)");
}

TEST(BuildClusterRefuses, RailsWithoutCards) {
  EXPECT_EQ(refusal_of(on_one_switch(dual_root(), 2, 2)),
            "rails: 2 (expected at most the 1 network cards of node0)");
  EXPECT_EQ(refusal_of(on_one_switch(dual_root(), 2, 0)), "rails: 0 (expected at least 1)");
}

TEST(BuildClusterRefuses, FabricsThatDoNotFitTheNodes) {
  EXPECT_EQ(refusal_of(cluster_of(dual_root(), 2)), "fabric: none for 2 nodes (expected one)");
  EXPECT_EQ(refusal_of(on_one_switch(dgx2(), 2)),
            "node type dgx2: no network card for the fabric (expected at least one, as node0 is on "
            "it)");
  ClusterSpec two = on_one_switch(least(), 2);
  two.fat_tree = FatTreeSpec{};
  EXPECT_EQ(refusal_of(two), "fabric: 2 of them (expected one)");
}

TEST(BuildClusterRefuses, ExplicitFabricsThatLeadNowhere) {
  ClusterSpec spec = cluster_of(least(), 2);
  spec.explicit_fabric = ExplicitFabricSpec{{"sw"}, {{"node0.nic0", "sw", fdr()}}};
  spec.explicit_fabric->cables.push_back({"node2.nic0", "sw", fdr()});
  EXPECT_EQ(refusal_of(spec),
            "fabric: cable 1 leads to node2.nic0 (expected one of the switches, or a network card "
            "such as node0.nic0)");

  spec.explicit_fabric->cables[1].from = "node1.gpu0";
  EXPECT_EQ(refusal_of(spec),
            "fabric: cable 1 leads to node1.gpu0 (expected one of the switches, or a network card "
            "such as node0.nic0)");

  spec.explicit_fabric->switches.push_back("sw");
  EXPECT_EQ(refusal_of(spec), "fabric: the name sw is used twice (expected a name of its own)");
}

TEST(BuildClusterRefuses, ImpossibleNodes) {
  NodeTypeSpec no_cable = dual_root();
  no_cable.socket_cable.reset();
  NodeTypeSpec no_gpu = least();
  no_gpu.sockets[0].root_complexes[0].devices = {nics(1)};
  NodeTypeSpec empty = least();
  empty.sockets[0].root_complexes[0].devices.clear();
  NodeTypeSpec none = least();
  none.sockets[0].root_complexes[0].devices[0].count = 0;
  NodeTypeSpec odd = least();
  odd.sockets[0].root_complexes[0].devices[0].devices = {gpus(1)};

  EXPECT_EQ(refusal_of(cluster_of(no_cable, 1)),
            "node type dual-root: 2 sockets without a cable between them (expected socket_cable)");
  EXPECT_EQ(refusal_of(cluster_of(no_gpu, 1)), "cluster test: no gpu (expected at least one)");
  EXPECT_EQ(refusal_of(cluster_of(empty, 1)),
            "node type least: a root complex without devices (expected a gpu, a PCIe switch or a "
            "network card)");
  EXPECT_EQ(refusal_of(cluster_of(none, 1)), "node type least: 0 of a gpu (expected at least 1)");
  EXPECT_EQ(refusal_of(cluster_of(odd, 1)),
            "node type least: devices below a gpu (expected them below a PCIe switch)");
}

TEST(BuildClusterRefuses, NvlinksToGpusThatAreNotThere) {
  NodeTypeSpec type = dgx1();
  type.nvlinks = {{0, 8, 1, pcie()}};
  EXPECT_EQ(refusal_of(cluster_of(type, 1)),
            "node type dgx1: an NVLink to gpu 8 (expected one of the 8 GPUs, counted from 0)");

  type.nvlinks = {{3, 3, 1, pcie()}};
  EXPECT_EQ(refusal_of(cluster_of(type, 1)),
            "node type dgx1: an NVLink from gpu 3 to itself (expected two GPUs)");

  type.nvlinks = {{0, 1, 0, pcie()}};
  EXPECT_EQ(refusal_of(cluster_of(type, 1)),
            "node type dgx1: 0 NVLinks from gpu 0 to gpu 1 (expected at least 1)");
}

TEST(BuildClusterRefuses, UnknownAndRepeatedNodeTypes) {
  ClusterSpec unknown = cluster_of(least(), 1);
  unknown.nodes[0].type = "most";
  ClusterSpec repeated = cluster_of(least(), 1);
  repeated.node_types.push_back(least());
  ClusterSpec none = cluster_of(least(), 0);

  EXPECT_EQ(refusal_of(unknown), "nodes: most is no node type of this cluster");
  EXPECT_EQ(refusal_of(repeated),
            "node type least: the name is used twice (expected a name of its own)");
  EXPECT_EQ(refusal_of(none), "nodes: 0 of type least (expected at least 1)");
}

TEST(BuildCluster, BuildsAThousandNodesInWellUnderASecond) {
  const auto start = std::chrono::steady_clock::now();

  // Radix 64: 32 cards per leaf, 32 * 8 leaves in 8 pods of 32.
  const Topology topology{build_cluster(on_fat_tree(eight_rails(), 1024, 3, 64, 1, 8))};

  EXPECT_EQ(topology.ranks(), 8192);
  // A debug build with sanitizers takes several times as long as a release.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{5});
}

}  // namespace
}  // namespace ringcast
