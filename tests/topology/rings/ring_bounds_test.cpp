#include "topology/rings/ring_bounds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

struct Bounds {
  double any = 0;    // GB/s
  double rings = 0;  // GB/s
  std::string any_reason;
  std::string rings_reason;
};

Bounds bounds_of(Cluster cluster, int ranks = 0, const TransportProfile& profile = {}) {
  const Topology topology{std::move(cluster)};
  const TransferPaths paths{
      topology, profile, places_of_ranks(topology, ranks == 0 ? topology.ranks() : ranks, profile)};
  const BandwidthBound any = algorithm_bound(paths);
  const BandwidthBound rings = ring_bound(paths);
  return {any.busbw.value() / 1e9, rings.busbw.value() / 1e9, any.reason, rings.reason};
}

/// Twelve NVLinks of 25 GB/s per GPU to the NVSwitches, PCIe of 31.5 GB/s, and two GPUs with two
/// NICs on each of four PCIe switches.
NodeTypeSpec dgx_a100() {
  const CableSpec pcie4 = cable("pcie-4.0-x16", 31.5);
  const DeviceSpec below{VertexKind::pcie_switch,
                         2,
                         pcie4,
                         {{VertexKind::gpu, 2, pcie4, {}}, {VertexKind::nic, 2, pcie4, {}}}};
  return {"dgx-a100",
          {socket({below}), socket({below})},
          qpi(),
          {},
          NvswitchSpec{12, cable("nvlink-3.0", 25, 0.5)}};
}

ClusterSpec dgx_a100s(int nodes, int rails) {
  ClusterSpec spec = cluster_of(dgx_a100(), nodes);
  if (nodes > 1) {
    spec.single_switch = SingleSwitchSpec{rails, cable("infiniband-hdr-4x", 25, 2)};
  }
  return spec;
}

TEST(RingBounds, OfDgxA100AreThoseOfNvlinkAndNics) {
  struct Case {
    int nodes;
    double any;
    double rings;
  };
  // Rings: 12 links of 25 GB/s out of a GPU, or 8 NICs of 25 GB/s out of a node.
  // Any: GPUs send 8 x 300 GB/s in each node and 8 x 25 GB/s out of it, 325 GB/s each; with m nodes
  // as parties, 200 m (8m - 1) / (8m (m - 1)): 4: 258.33, 8: 225, 16: 211.67.
  for (const Case& each : {Case{1, 300, 300},
                           {2, 325, 200},
                           {4, 800.0 * 31 / 32 / 3, 200},
                           {8, 1600.0 * 63 / 64 / 7, 200},
                           {16, 3200.0 * 127 / 128 / 15, 200}}) {
    for (const int rails : {1, 8}) {
      SCOPED_TRACE(fmt::format("{} nodes, {} rails", each.nodes, rails));
      const Bounds bounds = bounds_of(build_cluster(dgx_a100s(each.nodes, rails)));
      EXPECT_NEAR(bounds.any, each.any, 1e-3);
      EXPECT_NEAR(bounds.rings, each.rings, 1e-3);
    }
  }
}

TEST(RingBounds, SayWhatAllNodesSend) {
  const Bounds bounds = bounds_of(build_cluster(dgx_a100s(4, 1)));
  EXPECT_EQ(bounds.any_reason,
            "all 4 nodes send each other 800 GB/s at most, the narrowest over the 8 cables to "
            "switch0 (200 GB/s)");
}

// Buffers in host memory whose rate is not known: no transfer crosses a link.
TEST(RingBounds, AreNoneWithinAMemory) {
  TransportProfile profile;
  profile.buffers = BufferPlace::host;
  for (const int ranks : {2, 4}) {
    const Bounds bounds = bounds_of(build_cluster(cluster_of(dgx1(), 1)), ranks, profile);
    EXPECT_EQ(bounds.any, 0);
    EXPECT_EQ(bounds.rings, 0);
    EXPECT_EQ(bounds.rings_reason, "no link between the ranks");
  }
  // Eight are in two sockets.
  EXPECT_GT(bounds_of(build_cluster(cluster_of(dgx1(), 1)), 8, profile).rings, 0);
}

TEST(RingBounds, OfACubeMeshAreItsNvlinksAndQpi) {
  NodeTypeSpec type = dgx1();
  for (NvlinkSpec& nvlink : type.nvlinks) {
    nvlink.cable.bandwidth = BytesPerSecond{25e9};
  }
  // Six links out of each GPU, and QPI of 6 GB/s each way for the pairs without NVLinks.
  const Bounds bounds = bounds_of(build_cluster(cluster_of(type, 1)));
  EXPECT_NEAR(bounds.any, 150 + 2 * 6.0 / 8, 1e-3);
  EXPECT_NEAR(bounds.rings, 150 + 2 * 6.0 / 8, 1e-3);
  EXPECT_EQ(bounds.rings_reason,
            "all 8 ranks together (16 x 2 x nvlink-2.0, 16 x nvlink-2.0, 2 x qpi-9.6: 1.212 TB/s)");
}

// As much as 444 GPUs with 1.8 TB/s: each sends and receives 100 TB/s.
TEST(RingBounds, OfANodeMayBeSharesOfAPetabyte) {
  NodeTypeSpec type = dgx_a100();
  type.nvswitch = NvswitchSpec{1, cable("nvlink-5.0", 100'000)};
  const Bounds bounds = bounds_of(build_cluster(cluster_of(type, 1)));
  EXPECT_NEAR(bounds.any, 100'000, 1e-3);
  EXPECT_NEAR(bounds.rings, 100'000, 1e-3);
  EXPECT_EQ(bounds.any_reason, "all 8 ranks together (8 x nvlink-5.0: 800 TB/s)");
}

// GPU 4 has an NVLink of its own to GPU 0 only, and a ring cannot return where it came from. So
// each ring enters or leaves it by QPI, of 6 GB/s each way: 12 GB/s, where the cut at GPU 4 has 46.
TEST(RingBounds, KnowThatARingVisitsEachRankOnce) {
  const Bounds bounds = bounds_of(build_cluster(cluster_of(dgx1(), 1)), 5);
  EXPECT_NEAR(bounds.rings, 12, 1e-3);
  EXPECT_EQ(bounds.rings_reason,
            "the best mix of all ring orders, which fills 2 links such as node0.socket0 -> "
            "node0.socket1 (6 GB/s)");
}

// GPUs 4 and 5: a ring joins them by their NVLink, of 20 GB/s each way, or crosses QPI twice at
// least, of 6 GB/s each way. The mix fills both: 20 + 20 + (6 + 6) / 2 = 46 GB/s.
TEST(RingBounds, MixRingsOverNvlinkAndPcie) {
  EXPECT_NEAR(bounds_of(build_cluster(cluster_of(dgx1(), 1)), 6).rings, 46, 1e-3);
}

TEST(RingBounds, OfOneRankAreNone) {
  const Bounds bounds = bounds_of(build_cluster(cluster_of(dgx1(), 1)), 1);
  EXPECT_EQ(bounds.any, 0);
  EXPECT_EQ(bounds.rings, 0);
  EXPECT_EQ(bounds.rings_reason, "nothing to exchange");
}

TEST(RingBounds, NameTheCableThatParts) {
  // All 8 GPUs, 4 on each side of QPI: a ring crosses it once each way. Any algorithm: 2 parties
  // exchange 2 x 6 GB/s, 12 x 7/8 = 10.5; 8 ports of 10 GB/s allow 80 x 7 / (8 x 7) = 10.
  const Bounds bounds = bounds_of(build_cluster(cluster_of(dual_root(), 1)));
  EXPECT_NEAR(bounds.rings, 6, 1e-6);
  EXPECT_EQ(bounds.rings_reason, "node0.socket0 -> node0.socket1 (6 GB/s)");
  EXPECT_NEAR(bounds.any, 10, 1e-6);
  EXPECT_EQ(bounds.any_reason, "all 8 ranks together (8 x pcie-3.0-x16: 80 GB/s)");
}

// GPUs send each other 5 of the 10 GB/s of their slots: 4 x 5 x 3 / (4 x 3).
TEST(RingBounds, NameTheLimitOfACable) {
  NodeTypeSpec type{"peers", {socket({gpus(4)})}, std::nullopt, {}, std::nullopt};
  type.sockets[0].root_complexes[0].devices[0].cable.peer_bandwidth = BytesPerSecond{5e9};
  const Bounds bounds = bounds_of(build_cluster(cluster_of(type, 1)));
  EXPECT_NEAR(bounds.any, 5, 1e-6);
  EXPECT_EQ(bounds.any_reason, "all 4 ranks together (4 x pcie-3.0-x16 for peer traffic: 20 GB/s)");
}

TEST(RingBounds, OfASlowNicConcernItsNodeOnly) {
  Cluster cluster = build_cluster(on_one_switch(least(), 4));
  for (Cable& each : cluster.cables) {
    if (cluster.vertices[static_cast<std::size_t>(each.a)].name == "node2.nic0" ||
        cluster.vertices[static_cast<std::size_t>(each.b)].name == "node2.nic0") {
      each.bandwidth = std::min(each.bandwidth, BytesPerSecond{1.5e9});
    }
  }
  // Rings cross the NIC of 1.5 GB/s. A tree with node2 as a leaf sends each byte once out of it
  // and once into it: busbw = 2 x 3/4 x 1.5.
  const Bounds bounds = bounds_of(std::move(cluster));
  EXPECT_NEAR(bounds.rings, 1.5, 1e-6);
  EXPECT_NEAR(bounds.any, 2.25, 1e-6);
}

TEST(RingBounds, CountTheUplinksOfALeaf) {
  // Radix 6 and 2:1, two NICs of 6 GB/s per node: two nodes and two uplinks of 4 GB/s per leaf.
  const NodeTypeSpec type{
      "two-cards", {socket({gpus(2), nics(2)})}, std::nullopt, {}, std::nullopt};
  ClusterSpec spec = on_fat_tree(type, 4, 2, 6, 2);
  spec.fat_tree->uplink = cable("uplink", 4);
  const Bounds bounds = bounds_of(build_cluster(spec));
  EXPECT_NEAR(bounds.rings, 8, 1e-6);
  EXPECT_EQ(bounds.rings_reason, "the 2 cables from leaf0 (8 GB/s)");
  // GPUs: 8 x 10 GB/s of PCIe, 80 x 7 / (8 x 7); leaves: 16 x 7 / 8 = 14.
  EXPECT_NEAR(bounds.any, 10, 1e-6);
}

TEST(RingBounds, NameTheNarrowestCutOfAFabric) {
  // Two nodes on each of four switches in a row: s0 == s1 -- s2 == s3, NICs of 6 GB/s, cables of
  // 10 GB/s but for the one in the middle of 1 GB/s. No switch has only slow cables.
  ClusterSpec spec = cluster_of(least(), 8);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"s0", "s1", "s2", "s3"};
  for (int node = 0; node < 8; ++node) {
    fabric.cables.push_back(
        {fmt::format("node{}.nic0", node), fmt::format("s{}", node / 2), cable("card", 6)});
  }
  fabric.cables.push_back({"s0", "s1", cable("wide", 10)});
  fabric.cables.push_back({"s1", "s2", cable("narrow", 1)});
  fabric.cables.push_back({"s2", "s3", cable("wide", 10)});
  const Bounds bounds = bounds_of(build_cluster(spec));
  EXPECT_NEAR(bounds.rings, 1, 1e-6);
  EXPECT_EQ(bounds.rings_reason, "s1 -> s2 (1 GB/s)");
  // All data crosses it once in each direction: 2 x 7/8 x 1.
  EXPECT_NEAR(bounds.any, 1.75, 1e-6);
  EXPECT_EQ(bounds.any_reason, "s1 -> s2 (1 GB/s)");
}

/// `nodes` nodes of two GPUs on one switch, with NICs of 25 GB/s; the first has NICs of 10 GB/s,
/// and its second one leads to a switch where only the last node is.
ClusterSpec hub(int nodes) {
  const auto type = [](const char* name, int nics) {
    const DeviceSpec below{VertexKind::pcie_switch,
                           1,
                           cable("wide", 100),
                           {{VertexKind::gpu, 2, cable("wide", 100), {}},
                            {VertexKind::nic, nics, cable("wide", 100), {}}}};
    return NodeTypeSpec{name, {socket({below})}, std::nullopt, {}, std::nullopt};
  };
  ClusterSpec spec = cluster_of(type("two", 2), 1);
  spec.node_types.push_back(type("one", 1));
  spec.nodes.push_back({"one", nodes - 2});
  spec.nodes.push_back({"two", 1});
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"near", "far"};
  for (int node = 0; node < nodes; ++node) {
    const CableSpec nic = cable("card", node == 0 ? 10 : 25);
    fabric.cables.push_back({fmt::format("node{}.nic0", node), "near", nic});
    if (node % (nodes - 1) > 0) continue;
    fabric.cables.push_back({fmt::format("node{}.nic1", node), "far", nic});
  }
  return spec;
}

// Two NICs of 10 GB/s of the first node, which every ring enters and leaves.
TEST(RingBounds, CountANicThatLeadsToOneOfManyNodes) {
  for (const int nodes : {9, 22})
    EXPECT_NEAR(bounds_of(build_cluster(hub(nodes))).rings, 20, 1e-6);
}

TEST(RingBounds, CountHostMemoryTwicePerStagedHop) {
  // Without P2P each of four hops is a write to and a read of the socket's memory: 8 crossings of
  // 40 GB/s allow 5; PCIe would allow 10.
  NodeTypeSpec type{"staged", {socket({gpus(4)})}, std::nullopt, {}, std::nullopt};
  type.sockets.front().memory = BytesPerSecond{40e9};
  TransportProfile profile;
  profile.p2p = std::nullopt;
  const Bounds bounds = bounds_of(build_cluster(cluster_of(type, 1)), 4, profile);
  EXPECT_NEAR(bounds.rings, 5, 1e-6);
  // Any: 40/2 = 20 GB/s of transfers, 2 (n-1) S of them: 20 x 3 / (4 x 3).
  EXPECT_NEAR(bounds.any, 5, 1e-6);
}

}  // namespace
}  // namespace ringcast
