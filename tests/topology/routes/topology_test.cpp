#include "topology/routes/topology.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;
using Path = std::vector<std::string>;

TEST(Routes, BelowOneSwitchTurnRoundAtTheSwitch) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  EXPECT_EQ(path(topology, 0, 1), (Path{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.gpu1"}));
  // two crossings of 1 us each
  EXPECT_NEAR(route(topology, Rank{0}, Rank{1}).latency.count(), 2e-6, 1e-15);
}

TEST(Routes, BetweenSwitchesOfOneRootComplexStayBelowTheSocket) {
  const Topology topology{build_cluster(cluster_of(single_root(), 1))};

  EXPECT_EQ(path(topology, 4, 5), (Path{"node0.gpu4 -> node0.sw0", "node0.sw0 -> node0.root0",
                                        "node0.root0 -> node0.sw1", "node0.sw1 -> node0.gpu5"}));
}

TEST(Routes, BetweenSocketsCrossTheSocketCable) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  EXPECT_EQ(
      path(topology, 0, 7),
      (Path{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0", "node0.root0 -> node0.socket0",
            "node0.socket0 -> node0.socket1", "node0.socket1 -> node0.root1",
            "node0.root1 -> node0.sw3", "node0.sw3 -> node0.gpu7"}));
}

TEST(Routes, BetweenNodesCrossTheFabricOnce) {
  const Topology topology{build_cluster(on_one_switch(dual_root(), 5))};

  EXPECT_EQ(path(topology, 0, 33), (Path{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                                         "node0.root0 -> node0.nic0", "node0.nic0 -> switch0",
                                         "switch0 -> node4.nic0", "node4.nic0 -> node4.root0",
                                         "node4.root0 -> node4.sw0", "node4.sw0 -> node4.gpu1"}));
  // six PCIe crossings of 1 us, two of 2 us
  EXPECT_NEAR(route(topology, Rank{0}, Rank{33}).latency.count(), 10e-6, 1e-15);
}

TEST(Routes, PreferNvlinkToPcie) {
  const Topology topology{build_cluster(cluster_of(dgx1(), 1))};

  EXPECT_EQ(path(topology, 0, 1), (Path{"node0.gpu0 -> node0.gpu1"}));
  EXPECT_EQ(path(topology, 5, 1), (Path{"node0.gpu5 -> node0.gpu1"}));
}

TEST(Routes, NeverPassThroughAGpu) {
  const Topology topology{build_cluster(cluster_of(dgx1(), 1))};

  // GPU 0 has NVLink to 4 and 4 to 5, but none to 5.
  EXPECT_EQ(
      path(topology, 0, 5),
      (Path{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0", "node0.root0 -> node0.socket0",
            "node0.socket0 -> node0.socket1", "node0.socket1 -> node0.root1",
            "node0.root1 -> node0.sw2", "node0.sw2 -> node0.gpu5"}));
}

TEST(Routes, PreferAnNvswitchToTheSocketCable) {
  const Topology topology{build_cluster(cluster_of(dgx2(), 1))};

  EXPECT_EQ(path(topology, 0, 15),
            (Path{"node0.gpu0 -> node0.nvswitch", "node0.nvswitch -> node0.gpu15"}));
}

TEST(Routes, BetweenGpusOfOneRailUseTheirOwnNics) {
  const Topology topology{build_cluster(on_one_switch(eight_rails(), 2, 8))};

  for (int rail = 0; rail < 8; ++rail) {
    const std::string r = std::to_string(rail);
    EXPECT_EQ(path(topology, rail, 8 + rail),
              (Path{"node0.gpu" + r + " -> node0.sw" + r, "node0.sw" + r + " -> node0.nic" + r,
                    "node0.nic" + r + " -> switch" + r, "switch" + r + " -> node1.nic" + r,
                    "node1.nic" + r + " -> node1.sw" + r, "node1.sw" + r + " -> node1.gpu" + r}));
  }
}

TEST(Routes, BetweenRailsStayOnOneRailInTheFabric) {
  const Topology topology{build_cluster(on_one_switch(eight_rails(), 2, 8))};

  const Path crossed = path(topology, 0, 9);

  // One rail change on PCIe, on either side: 8 crossings within the nodes at the most.
  EXPECT_EQ(std::ranges::count_if(
                crossed, [](const auto& link) { return link.find("switch") != std::string::npos; }),
            2);
  EXPECT_EQ(crossed.size(), 8U);
}

TEST(Routes, TakeTheNearestNicsThoughOthersShareALeaf) {
  // Radix 6: leaves of three NICs, pods of three leaves. The second pair of leaves, of the NICs
  // of node 3, is in two pods: leaf2 with nic0 in the first, leaf3 with nic1 in the second.
  const NodeTypeSpec type{
      "two-sockets",
      {socket({switches(1, {gpus(1), nics(1)})}), socket({switches(1, {gpus(1), nics(1)})})},
      qpi(),
      {},
      std::nullopt};
  const Topology topology{build_cluster(on_fat_tree(type, 4, 3, 6, 1, 2))};
  const Path found = path(topology, 1, 7);

  // Through the sockets of both nodes and nic0 the fabric would be crossed by 4 cables, not 6.
  EXPECT_EQ(found.at(2), "node0.nic1 -> leaf1");
  EXPECT_EQ(found.at(7), "leaf3 -> node3.nic1");
}

TEST(Routes, GoNowhereFromARankToItself) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  EXPECT_TRUE(route(topology, Rank{3}, Rank{3}).links.empty());
  EXPECT_EQ(route(topology, Rank{3}, Rank{3}).latency, Seconds{0});
}

TEST(Routes, AreKept) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};
  const Route* first = &route(topology, Rank{0}, Rank{7});

  for (int rank = 0; rank < 8; ++rank) {
    (void)route(topology, Rank{rank}, Rank{(rank + 1) % 8});
  }

  EXPECT_EQ(first, &route(topology, Rank{0}, Rank{7}));
}

TEST(Routes, DoNotDependOnTheOrderOfQuestions) {
  const ClusterSpec spec = on_fat_tree(eight_rails(), 6, 2, 12, 1, 2);
  const Topology forward{build_cluster(spec)};
  const Topology backward{build_cluster(spec)};

  for (int rank = 47; rank >= 0; --rank) {
    (void)route(backward, Rank{rank}, Rank{(rank + 11) % 48});
  }

  for (int rank = 0; rank < 48; ++rank) {
    EXPECT_EQ(path(forward, rank, (rank + 11) % 48), path(backward, rank, (rank + 11) % 48));
  }
}

TEST(Routes, PassThroughNoNodeButTheirEnds) {
  ClusterSpec spec = cluster_of(dgx1(), 3);  // a chain: node0 - node1 - node2, and a slow switch
  spec.explicit_fabric = ExplicitFabricSpec{{"far", "near"},
                                            {{"node0.nic0", "near", fdr()},
                                             {"node1.nic0", "near", fdr()},
                                             {"node0.nic1", "far", fdr()},
                                             {"node1.nic1", "far", fdr()},
                                             {"node2.nic1", "far", fdr()}}};
  const Topology topology{build_cluster(spec)};

  for (const std::string& link : path(topology, 0, 16)) {
    EXPECT_EQ(link.find("node1"), std::string::npos) << link;
  }
}

TEST(Topology, NumbersBothDirectionsOfACable) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  // The first cable is the root complex's, which names it first.
  EXPECT_EQ(topology.name_of(LinkId{0}), "node0.root0 -> node0.socket0");
  EXPECT_EQ(topology.name_of(LinkId{1}), "node0.socket0 -> node0.root0");
  EXPECT_EQ(topology.links().size(), 2 * topology.cluster().cables.size());
  EXPECT_THROW((void)topology.name_of(LinkId{1000}), ContractViolation);
}

TEST(Topology, RefusesRanksThatAreNotThere) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};

  EXPECT_THROW((void)route(topology, Rank{0}, Rank{8}), ContractViolation);
  EXPECT_THROW((void)route(topology, Rank{-1}, Rank{0}), ContractViolation);
  EXPECT_THROW((void)topology.vertex_of(Rank{8}), ContractViolation);
}

/// Two GPUs on a PCIe switch, to be spoilt.
Cluster pair() {
  const auto joined = [](int a, int b) {
    return Cable{a, b, BytesPerSecond{1e10}, Seconds{1e-6}, "pcie-3.0-x16", "invented"};
  };
  return {
      "pair",
      {{"a", VertexKind::gpu, 0}, {"b", VertexKind::gpu, 0}, {"sw", VertexKind::pcie_switch, 0}},
      {joined(0, 2), joined(1, 2)}};
}

std::string refusal_of(const Cluster& cluster) {
  return refusal([&] { const Topology topology{cluster}; });
}

TEST(TopologyRefuses, ARepeatedName) {
  Cluster cluster = pair();
  cluster.vertices[1].name = "a";

  EXPECT_EQ(refusal_of(cluster),
            "cluster pair: two vertices are named a (expected each name once)");
}

TEST(TopologyRefuses, ACableToNowhere) {
  Cluster cluster = pair();
  cluster.cables[1].b = 3;

  EXPECT_EQ(refusal_of(cluster), "cable 1 leads to vertex 3 (expected 0 to 2)");
}

TEST(TopologyRefuses, ACableToItself) {
  Cluster cluster = pair();
  cluster.cables[1].b = 1;

  EXPECT_EQ(refusal_of(cluster), "cable 1 leads from b to itself (expected two vertices)");
}

TEST(TopologyRefuses, ImpossibleRatesAndLatencies) {
  Cluster zero = pair();
  zero.cables[0].bandwidth = BytesPerSecond{0};
  Cluster infinite = pair();
  infinite.cables[0].bandwidth = BytesPerSecond{std::numeric_limits<double>::infinity()};
  Cluster early = pair();
  early.cables[1].latency = Seconds{-1e-6};

  EXPECT_EQ(refusal_of(zero), "cable a - sw: a bandwidth of 0 B/s (expected more than 0)");
  EXPECT_EQ(refusal_of(infinite), "cable a - sw: a bandwidth of inf B/s (expected more than 0)");
  EXPECT_EQ(refusal_of(early), "cable b - sw: a latency of -1e-06 s (expected 0 or more)");
}

TEST(TopologyRefuses, AClusterWithoutAGpu) {
  Cluster cluster = pair();
  cluster.vertices[0].kind = VertexKind::nic;
  cluster.vertices[1].kind = VertexKind::nic;

  EXPECT_EQ(refusal_of(cluster), "cluster pair: no gpu (expected at least one, or processes)");
}

TEST(TopologyRefuses, AnUnreachableGpu) {
  Cluster cluster = pair();
  cluster.cables.pop_back();

  EXPECT_EQ(refusal_of(cluster),
            "no cables connect a and b (expected a route through no other GPU and no other node)");
}

TEST(TopologyRefuses, AGpuBehindAnotherGpu) {
  Cluster cluster = pair();
  cluster.vertices[2].kind = VertexKind::gpu;  // a - sw - b, all GPUs

  EXPECT_EQ(refusal_of(cluster),
            "no cables connect a and b (expected a route through no other GPU and no other node)");
}

TEST(TopologyRefuses, ANodeBehindAnotherNode) {
  ClusterSpec spec = cluster_of(dgx1(), 3);
  spec.explicit_fabric = ExplicitFabricSpec{
      {}, {{"node0.nic0", "node1.nic0", fdr()}, {"node1.nic1", "node2.nic0", fdr()}}};

  EXPECT_EQ(refusal([&] { const Topology topology{build_cluster(spec)}; }),
            "no cables connect node0.gpu0 and node2.gpu0 (expected a route through no other GPU "
            "and no other node)");
}

TEST(TopologyRefuses, ASwitchInANode) {
  Cluster cluster = pair();
  cluster.vertices[2].kind = VertexKind::network_switch;

  EXPECT_EQ(refusal_of(cluster),
            "sw: a network switch in a node (expected network switches, and nothing else, outside "
            "the nodes)");
}

TEST(Topology, AcceptsGpusThatAreJoinedByNvlinkAlone) {
  Cluster cluster = pair();
  cluster.cables.pop_back();
  cluster.cables[0].b = 1;

  const Topology topology{std::move(cluster)};

  EXPECT_EQ(path(topology, 1, 0), (Path{"b -> a"}));
}

TEST(Topology, AcceptsNodesCabledBackToBack) {
  ClusterSpec spec = cluster_of(least(), 2);
  spec.explicit_fabric = ExplicitFabricSpec{{}, {{"node0.nic0", "node1.nic0", fdr()}}};

  const Topology topology{build_cluster(spec)};

  EXPECT_EQ(path(topology, 0, 1), (Path{"node0.gpu0 -> node0.root0", "node0.root0 -> node0.nic0",
                                        "node0.nic0 -> node1.nic0", "node1.nic0 -> node1.root0",
                                        "node1.root0 -> node1.gpu0"}));
}

}  // namespace
}  // namespace ringcast
