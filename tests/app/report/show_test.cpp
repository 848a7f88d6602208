#include "app/report/show.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/app/report/occurrences.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

std::string tree_of(const ClusterSpec& spec) {
  return text_tree(Topology{build_cluster(spec)});
}
std::string dot_of(const ClusterSpec& spec) {
  return dot(Topology{build_cluster(spec)});
}

TEST(TextTree, ShowsNodesThatAreAlikeOnceAndEachCableWithItsRate) {
  EXPECT_EQ(tree_of(on_one_switch(dual_root(), 5)), R"(test: 40 GPUs in 5 nodes

node0 .. node4 (5 x dual-root)
├─ node0.socket0  cpu
│  └─ node0.root0  root complex  30 GB/s on-die
│     ├─ node0.sw0  PCIe switch  10 GB/s pcie-3.0-x16
│     │  ├─ node0.gpu0  gpu  10 GB/s pcie-3.0-x16
│     │  └─ node0.gpu1  gpu  10 GB/s pcie-3.0-x16
│     ├─ node0.sw1  PCIe switch  10 GB/s pcie-3.0-x16
│     │  ├─ node0.gpu2  gpu  10 GB/s pcie-3.0-x16
│     │  └─ node0.gpu3  gpu  10 GB/s pcie-3.0-x16
│     └─ node0.nic0  NIC  10 GB/s pcie-3.0-x16
├─ node0.socket1  cpu
│  └─ node0.root1  root complex  20 GB/s on-die
│     ├─ node0.sw2  PCIe switch  10 GB/s pcie-3.0-x16
│     │  ├─ node0.gpu4  gpu  10 GB/s pcie-3.0-x16
│     │  └─ node0.gpu5  gpu  10 GB/s pcie-3.0-x16
│     └─ node0.sw3  PCIe switch  10 GB/s pcie-3.0-x16
│        ├─ node0.gpu6  gpu  10 GB/s pcie-3.0-x16
│        └─ node0.gpu7  gpu  10 GB/s pcie-3.0-x16
└─ between sockets
   └─ node0.socket0 - node0.socket1  6 GB/s qpi-9.6

fabric
└─ switch0  network switch
   └─ node0.nic0 .. node4.nic0  5 x 6 GB/s infiniband-fdr-4x
)");
}

TEST(TextTree, ShowsTheMemoryThatLimitsASocketAndItsGpus) {
  ClusterSpec spec = cluster_of(dual_root(), 1);
  SocketSpec& second = spec.node_types.at(0).sockets.at(1);
  second.memory = BytesPerSecond{40e9};
  second.staging_bandwidth = BytesPerSecond{4e9};
  const std::string tree = tree_of(spec);
  EXPECT_NE(tree.find("node0.socket0  cpu\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find("node0.socket1  cpu, memory 40 GB/s\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find("node0.gpu4  gpu, staged reads 4 GB/s  10 GB/s"), std::string::npos) << tree;
}

TEST(TextTree, ShowsNvlinkBelowThePcieTree) {
  const std::string mesh = tree_of(cluster_of(dgx1(), 1));
  const std::string switched = tree_of(cluster_of(dgx2(), 1));
  EXPECT_NE(mesh.find("   ├─ node0.gpu0 - node0.gpu4  40 GB/s 2 x nvlink-2.0\n"),
            std::string::npos);
  EXPECT_EQ(occurrences(mesh, "nvlink-2.0"), 16U);  // 6 in each half, 4 between them
  EXPECT_NE(switched.find("└─ NVLink\n   └─ node0.gpu0 .. node0.gpu15 - node0.nvswitch  120 GB/s "
                          "6 x nvlink-2.0 each\n"),
            std::string::npos);
}

ClusterSpec mesh_of_sockets(int count) {
  ClusterSpec spec = on_one_switch(least(), 1);
  spec.node_types.front().sockets.front().count = count;
  spec.node_types.front().socket_cable = cable("upi-16", 22);
  return spec;
}

TEST(TextTree, ShowsAMeshOfSocketsInOneLine) {
  const ClusterSpec spec = mesh_of_sockets(4);

  EXPECT_NE(tree_of(spec).find("between sockets\n   └─ node0.socket0 .. node0.socket3  22 GB/s "
                               "upi-16 between each two\n"),
            std::string::npos)
      << tree_of(spec);
}

TEST(TextTree, ShowsTheFirstOfManyAlikeSockets) {
  const std::string tree = tree_of(mesh_of_sockets(5));

  EXPECT_EQ(occurrences(tree, "  root complex"), 1U);
  EXPECT_NE(tree.find("\n├─ node0.socket1 .. node0.socket4  4 cpus, each as node0.socket0: "
                      "node0.gpu1 .. node0.gpu4, node0.nic1 .. node0.nic4\n└─ between sockets\n"),
            std::string::npos)
      << tree;
  EXPECT_EQ(occurrences(tree_of(mesh_of_sockets(4)), "  root complex"), 4U);
}

TEST(TextTree, ShowsUplinksAtTheLowerSwitch) {
  const std::string tree = tree_of(on_fat_tree(least(), 12, 2, 8));

  EXPECT_EQ(tree.substr(tree.find("fabric")), R"(fabric
├─ leaf0  network switch
│  ├─ node0.nic0 .. node3.nic0  4 x 6 GB/s infiniband-fdr-4x
│  └─ spine0, spine1  4 x 6 GB/s infiniband-fdr-4x
├─ leaf1  network switch
│  ├─ node4.nic0 .. node7.nic0  4 x 6 GB/s infiniband-fdr-4x
│  └─ spine0, spine1  4 x 6 GB/s infiniband-fdr-4x
├─ leaf2  network switch
│  ├─ node8.nic0 .. node11.nic0  4 x 6 GB/s infiniband-fdr-4x
│  └─ spine0, spine1  4 x 6 GB/s infiniband-fdr-4x
└─ spine0, spine1  2 network switches
)");
}

TEST(TextTree, ShowsALargeFabricByItsLevels) {
  const std::string tree = tree_of(on_fat_tree(least(), 128, 3, 8));

  EXPECT_EQ(tree.substr(tree.find("fabric")), R"(fabric
├─ leaf0 .. leaf31  32 network switches, each:
│  ├─ 4 NICs  4 x 6 GB/s infiniband-fdr-4x
│  └─ 4 network switches  4 x 6 GB/s infiniband-fdr-4x
├─ spine0 .. spine31  32 network switches, each:
│  └─ 4 network switches  4 x 6 GB/s infiniband-fdr-4x
└─ core0 .. core15  16 network switches
)");
}

TEST(TextTree, KeepsNodesApartThatDiffer) {
  ClusterSpec spec = on_one_switch(least(), 2);
  spec.node_types.push_back(single_root());
  spec.nodes.push_back({"single-root", 1});
  spec.nodes.push_back({"least", 1});

  const std::string tree = tree_of(spec);

  EXPECT_NE(tree.find("\nnode0, node1, node3 (3 x least)\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find("\nnode2 (single-root)\n"), std::string::npos) << tree;
}

TEST(TextTree, KeepsNodesOfOneTypeApartWhoseCablesToTheFabricDiffer) {
  ClusterSpec spec = cluster_of(least(), 3);
  spec.explicit_fabric = ExplicitFabricSpec{{"a", "b", "c"},
                                            {{"a", "b", fdr()},
                                             {"node0.nic0", "a", fdr()},
                                             {"node1.nic0", "b", cable("slow", 3)},
                                             {"node2.nic0", "b", fdr()},
                                             {"a", "c", fdr()},
                                             {"a", "b", fdr()}}};

  const std::string tree = tree_of(spec);

  EXPECT_NE(tree.find("└─ b, c  3 x 6 GB/s"), std::string::npos) << tree;
  EXPECT_NE(tree.find("\nnode0, node2 (2 x least)\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find("\nnode1 (least)\n"), std::string::npos) << tree;
}

TEST(TextTree, ShowsCablesFromNodeToNode) {
  ClusterSpec spec = cluster_of(least(), 2);
  spec.explicit_fabric = ExplicitFabricSpec{{}, {{"node0.nic0", "node1.nic0", fdr()}}};

  const std::string tree = tree_of(spec);

  EXPECT_EQ(tree.substr(tree.find("fabric")),
            "fabric\n└─ node0.nic0 - node1.nic0  6 GB/s infiniband-fdr-4x\n");
  EXPECT_EQ(occurrences(dot_of(spec), "#e64a19"), 1U);  // the colour of the network
}

TEST(TextTree, DoesWithoutSocketsAndTypes) {
  const auto joined = [](int a, int b) {
    return Cable{a, b, 12_GBps, 1_us, "pcie-3.0-x16", "invented"};
  };
  const Topology topology{Cluster{
      "pair",
      {{"sw", VertexKind::pcie_switch, 0}, {"a", VertexKind::gpu, 0}, {"b", VertexKind::gpu, 0}},
      {joined(1, 0), joined(0, 2)}}};

  EXPECT_EQ(text_tree(topology), R"(pair: 2 GPUs in 1 node

node0
└─ sw  PCIe switch
   ├─ a  gpu  12 GB/s pcie-3.0-x16
   └─ b  gpu  12 GB/s pcie-3.0-x16
)");
}

TEST(Dot, DrawsEachNodeOfASmallCluster) {
  const std::string graph = dot_of(on_one_switch(dual_root(), 5));

  EXPECT_EQ(graph.find("graph \"test\" {\n"), 0U);
  EXPECT_EQ(graph.substr(graph.size() - 2), "}\n");
  EXPECT_EQ(occurrences(graph, "subgraph cluster_"), 5U * 2U);
  // Per node 17 vertices and the rate of QPI; 8 GPUs, 4 switches, 2 root complexes, a NIC and the
  // fabric's cable, and QPI twice: 18 cables.
  EXPECT_EQ(occurrences(graph, "shape="), 5U * 18U + 1U);
  EXPECT_EQ(occurrences(graph, " -- "), 5U * 18U);
  EXPECT_NE(graph.find(R"("node4.sw3" -- "node4.gpu7" [label="10 GB/s"];)"), std::string::npos);
  EXPECT_NE(graph.find(R"("switch0" -- "node4.nic0" [label="6 GB/s",)"), std::string::npos);
}

TEST(Dot, GivesEachKindAShapeOfItsOwn) {
  const std::string graph = dot_of(on_one_switch(eight_rails(), 2, 8));

  EXPECT_EQ(occurrences(graph, "shape=box,"), 16U + 8U);  // GPUs, and rounded: network switches
  EXPECT_EQ(occurrences(graph, "style=\"rounded,filled\""), 8U);
  EXPECT_EQ(occurrences(graph, "shape=box3d"), 4U);
  EXPECT_EQ(occurrences(graph, "shape=ellipse"), 4U);
  EXPECT_EQ(occurrences(graph, "shape=hexagon"), 16U);
  EXPECT_EQ(occurrences(graph, "shape=octagon"), 2U);
  EXPECT_EQ(occurrences(graph, "shape=cds"), 16U);
}

TEST(Dot, DrawsParallelCablesAsOne) {
  const std::string graph = dot_of(on_fat_tree(least(), 12, 2, 8));

  EXPECT_NE(graph.find(R"("spine1" -- "leaf2" [label="2 x 6 GB/s")"), std::string::npos) << graph;
}

TEST(Dot, DrawsOneOfEachSetOfALargeCluster) {
  const std::string graph = dot_of(on_fat_tree(dual_root(), 128, 2, 36));

  EXPECT_NE(graph.find("one of each set of nodes or sockets that are alike, one of each level "
                       "of the fabric"),
            std::string::npos);
  EXPECT_EQ(occurrences(graph, "subgraph cluster_"), 2U);
  EXPECT_NE(graph.find("node0 .. node127 (128 x dual-root)"), std::string::npos);
  EXPECT_NE(graph.find(R"(leaf0 .. leaf7\n8 switches)"), std::string::npos);
  // 8 leaves with 18 uplinks each
  EXPECT_NE(graph.find(R"("spine0" -- "leaf0" [label="144 x 6 GB/s")"), std::string::npos) << graph;
}

TEST(Dot, TellsLevelsApartWhereTheNamesOfTheSwitchesDoNot) {
  ClusterSpec spec = cluster_of(dual_root(), 8);
  ExplicitFabricSpec fabric{.switches = {"s0", "s1", "s2"}, .cables = {}};
  for (int node = 0; node < 8; ++node)
    fabric.cables.push_back(
        {"node" + std::to_string(node) + ".nic0", node < 4 ? "s0" : "s2", fdr()});
  fabric.cables.push_back({"s1", "s0", fdr()});
  fabric.cables.push_back({"s2", "s1", fdr()});
  fabric.cables.push_back({"s0", "s2", fdr()});
  spec.explicit_fabric = fabric;

  const std::string graph = dot_of(spec);

  EXPECT_NE(graph.find(R"("s0" [label="s0, s2\n2 switches")"), std::string::npos) << graph;
  EXPECT_NE(graph.find(R"("s1" [label="s1",)"), std::string::npos) << graph;
  EXPECT_NE(graph.find(R"("s1" -- "s0" [label="2 x 6 GB/s")"), std::string::npos) << graph;
  EXPECT_NE(graph.find(R"("s0" -- "s0" [label="6 GB/s")"), std::string::npos) << graph;
}

TEST(Dot, StandsTheRateOfALinkWithinAColumnBesideItsEnds) {
  const std::string graph = dot_of(cluster_of(dgx1(), 1));

  EXPECT_EQ(occurrences(graph, "shape=plain"), 16U + 1U);
  EXPECT_NE(graph.find(R"("node0.socket1" -- "node0.socket0 - node0.socket1")"), std::string::npos);
  EXPECT_NE(graph.find(R"("node0.gpu4" -- "node0.gpu0 - node0.gpu4")"), std::string::npos);
}

TEST(Dot, NamesAMeshOfSocketsBesideItsNode) {
  const std::string graph = dot_of(mesh_of_sockets(4));

  EXPECT_EQ(occurrences(graph, "22 GB/s"), 1U) << graph;
  EXPECT_NE(
      graph.find(
          "label=\"node0\\nnode0.socket0 .. node0.socket3  22 GB/s upi-16 between each two\";"),
      std::string::npos)
      << graph;
}

TEST(Dot, DrawsOneOfTheAlikeSocketsOfALargeNode) {
  const std::string graph = dot_of(mesh_of_sockets(64));

  EXPECT_NE(graph.find(R"("node0.gpu0" [label="gpu0 .. gpu63",)"), std::string::npos) << graph;
  EXPECT_NE(graph.find(R"("switch0" -- "node0.nic0" [label="64 x 6 GB/s",)"), std::string::npos);
  EXPECT_EQ(occurrences(graph, "shape="), 4U + 1U);  // socket, root complex, GPU, NIC; the switch
}

TEST(Dot, LeavesNothingOutOfOneLargeNode) {
  ClusterSpec spec = mesh_of_sockets(63);
  NodeTypeSpec& type = spec.node_types.front();
  type.sockets.push_back(type.sockets.front());
  type.sockets.back().count = 1;
  type.sockets.back().memory = 40_GBps;

  EXPECT_EQ(dot_of(spec).find("one of each set"), std::string::npos);
}

TEST(Dot, EscapesNames) {
  Cluster cluster = build_cluster(cluster_of(least(), 1));
  cluster.name = "a \"large\" one";
  EXPECT_EQ(dot(Topology{std::move(cluster)}).find(R"(graph "a \"large\" one" {)"), 0U);
}

}  // namespace
}  // namespace ringcast
