#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

long vertices_of(const Cluster& cluster, VertexKind kind) {
  return std::ranges::count(cluster.vertices, kind, &Vertex::kind);
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

  // Two switches and a NIC on the first, two switches on the second, 10 GB/s each.
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
  EXPECT_EQ(name_of_rank(topology, 18), "node4.gpu0");
}

// A job of two that takes one GPU of each socket.
TEST(BuildCluster, NumbersTheRanksOfAJobByItsGpus) {
  ClusterSpec spec = cluster_of(dual_root(), 1);
  spec.job_gpus = {4, 0};

  const Topology topology{build_cluster(spec)};

  EXPECT_EQ(name_of_rank(topology, 0), "node0.gpu4");
  EXPECT_EQ(name_of_rank(topology, 1), "node0.gpu0");
  EXPECT_EQ(topology.ranks(), 2);
  EXPECT_EQ(topology.name_of(route(topology, Rank{0}, Rank{1}).links.front()),
            "node0.gpu4 -> node0.sw2");
}

TEST(BuildCluster, PutsNicRModuloRailsOnRailR) {
  const Cluster cluster = build_cluster(on_one_switch(eight_rails(), 2, 4));

  EXPECT_EQ(neighbours(cluster, "switch1", "node"),
            (std::vector<std::string>{"node0.nic1", "node0.nic5", "node1.nic1", "node1.nic5"}));
}

TEST(BuildCluster, BuildsAThousandNodes) {
  // Radix 64: 32 NICs per leaf, 32 * 8 leaves in 8 pods of 32.
  const Topology topology{build_cluster(on_fat_tree(eight_rails(), 1024, 3, 64, 1, 8))};

  EXPECT_EQ(topology.ranks(), 8192);
}

}  // namespace
}  // namespace ringcast
