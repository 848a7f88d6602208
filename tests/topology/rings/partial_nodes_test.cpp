// Ring search for jobs that fill nodes in part, and for nodes that lack a NIC.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

struct PartialJob {
  PartialJob(const ClusterSpec& spec, int ranks)
      : topology{build_cluster(spec)},
        paths{topology, {}, places_of_ranks(topology, ranks, TransportProfile{})} {}
  Topology topology;
  TransferPaths paths;
};

TEST(PartialNodes, FillsPartsOfACubeMesh) {
  // One ring each way by QPI, of 6 GB/s: the bound of ring_bounds_test.cpp.
  const PartialJob five{cluster_of(dgx1(), 1), 5};
  EXPECT_NEAR(search_rings(five.paths, {}).busbw.value(), 12e9, 1);
  EXPECT_TRUE(search_rings(five.paths, {}).proved_optimal);
  // Rings by the NVLinks between GPUs 4 and 5, 20 GB/s each way, and by QPI, 6 GB/s: of 16 equal
  // rings 7 + 7 + 2, where an NVLink's seventh decides: 16 x 20 / 7.
  const PartialJob six{cluster_of(dgx1(), 1), 6};
  EXPECT_NEAR(search_rings(six.paths, {}).busbw.value() / 1e9, 16 * 20.0 / 7, 1e-6);
}

/// NVLinks of 12 GB/s between all GPUs, each with a NIC of its own.
NodeTypeSpec mesh(int gpu_count) {
  const SocketSpec half = socket({switches(gpu_count / 2, {gpus(1), nics(1)})});
  NodeTypeSpec type{"mesh", {half, half}, qpi(), {}, std::nullopt};
  for (int a = 0; a < gpu_count; ++a) {
    for (int b = a + 1; b < gpu_count; ++b) {
      type.nvlinks.push_back({a, b, 1, cable("nvlink-3.0", 12, 0.5)});
    }
  }
  return type;
}

// NVLinks of 12 GB/s between all eight GPUs, each with a NIC of 6 GB/s of its own. A job fills one
// node and all but a few GPUs of another: the NICs of the smaller part decide. An odd number of
// GPUs has two rings at half the rate for each.
TEST(PartialNodes, UsesAllNicsOfANodeThatAJobFillsInPart) {
  const ClusterSpec spec = on_one_switch(mesh(8), 3);
  for (const int ranks : {11, 13, 15}) {
    SCOPED_TRACE(ranks);
    const PartialJob job{spec, ranks};
    const FoundRings found = search_rings(job.paths, {});
    EXPECT_NEAR(found.busbw.value() / 1e9, 6 * (ranks % 8), 1e-6);
    EXPECT_TRUE(found.proved_optimal);
    EXPECT_GE(found.busbw, ring_bottleneck(job.paths, channel_rings(job.paths))->busbw);
  }
}

NodeTypeSpec pairs_on_switches() {
  return {"pairs",
          {socket({switches(4, {gpus(2), nics(2)})})},
          std::nullopt,
          {},
          NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)}};
}

bool leads_to_network(const Cluster& cluster, const Cable& each, const std::string& nic) {
  const auto& vertices = cluster.vertices;
  const Vertex& a = vertices[static_cast<std::size_t>(each.a)];
  const Vertex& b = vertices[static_cast<std::size_t>(each.b)];
  return (a.name == nic && b.node < 0) || (b.name == nic && a.node < 0);
}

// Eight NICs of 6 GB/s in each of 24 nodes, two on a PCIe switch, each on a rail with leaves of
// its own. The cable of one NIC is missing: seven rings keep to the other rails.
TEST(PartialNodes, GivesUpTheRingOfAMissingNicOnly) {
  Cluster cluster = build_cluster(on_fat_tree(pairs_on_switches(), 24, 3, 24, 1, 8));
  const auto is_lost = [&](const Cable& each) {
    return leads_to_network(cluster, each, "node5.nic3");
  };
  ASSERT_EQ(std::erase_if(cluster.cables, is_lost), 1U);
  const Topology topology{std::move(cluster)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 192, {})};
  const FoundRings found = search_rings(paths, {});
  EXPECT_EQ(found.rings.size(), 7U);
  EXPECT_NEAR(found.busbw.value() / 1e9, 7 * 6.0, 1e-6);
  EXPECT_TRUE(found.proved_optimal);
}

// The same nodes on one switch. NCCL has as many channels as the node with the fewest: seven, over
// seven NICs of 6 GB/s, whichever node lacks one. A slow NIC carries no traffic either, unless
// eight rings at its rate are faster: 8 x 5.4 = 43.2 > 7 x 6 > 8 x 5.2.
TEST(PartialNodes, KeepNcclsRingsOffABadNicOfAnyNode) {
  for (const int nodes : {2, 4, 5}) {
    for (int bad = 0; bad < nodes; ++bad) {
      SCOPED_TRACE(fmt::format("node {} of {}", bad, nodes));
      const std::string nic = fmt::format("node{}.nic0", bad);
      const auto busbw = [&](std::optional<double> rate) {
        Cluster cluster = build_cluster(on_one_switch(pairs_on_switches(), nodes, 8));
        const auto is_bad = [&](const Cable& each) { return leads_to_network(cluster, each, nic); };
        const auto cable = std::ranges::find_if(cluster.cables, is_bad);
        if (rate) {
          cable->bandwidth = BytesPerSecond{*rate * 1e9};
        } else {
          cluster.cables.erase(cable);
        }
        const Topology topology{std::move(cluster)};
        const TransferPaths paths{topology, {}, places_of_ranks(topology, 8 * nodes, {})};
        return ring_bottleneck(paths, channel_rings(paths))->busbw.value() / 1e9;
      };
      EXPECT_NEAR(busbw(std::nullopt), 7 * 6.0, 1e-6);
      for (const double slow : {0.3, 3.0, 3.1, 4.5, 5.2})
        EXPECT_NEAR(busbw(slow), 7 * 6.0, 1e-6) << slow;
      EXPECT_NEAR(busbw(5.4), 8 * 5.4, 1e-6);
    }
  }
}

// Four nodes of four GPUs that NVLinks join, with a NIC of 6 GB/s each. Without any one NIC three
// rings leave the node at the three others, and enter it there.
TEST(PartialNodes, UseAllNicsThatANodeOfAMeshHasLeft) {
  for (int bad = 0; bad < 16; ++bad) {
    const std::string nic = fmt::format("node{}.nic{}", bad / 4, bad % 4);
    SCOPED_TRACE(nic);
    Cluster cluster = build_cluster(on_one_switch(mesh(4), 4));
    std::erase_if(cluster.cables,
                  [&](const Cable& each) { return leads_to_network(cluster, each, nic); });
    const Topology topology{std::move(cluster)};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, 16, {})};
    EXPECT_NEAR(ring_bottleneck(paths, channel_rings(paths))->busbw.value() / 1e9, 3 * 6.0, 1e-6);
  }
}

}  // namespace
}  // namespace ringcast
