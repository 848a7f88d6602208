// Ring search for jobs that fill nodes in part, and for nodes that lack a card.
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

// NVLinks of 12 GB/s between all eight GPUs, each with a card of 6 GB/s of its own. A job fills one
// node and all but a few GPUs of another: the cards of the smaller part decide. An odd number of
// GPUs has two rings at half the rate for each.
TEST(PartialNodes, UsesAllCardsOfANodeThatAJobFillsInPart) {
  NodeTypeSpec type{
      "mesh",
      {socket({switches(4, {gpus(1), nics(1)})}), socket({switches(4, {gpus(1), nics(1)})})},
      qpi(),
      {},
      std::nullopt};
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      type.nvlinks.push_back({a, b, 1, cable("nvlink-3.0", 12, 0.5)});
    }
  }
  const ClusterSpec spec = on_one_switch(type, 3);
  for (const int ranks : {11, 13, 15}) {
    SCOPED_TRACE(ranks);
    const PartialJob job{spec, ranks};
    const FoundRings found = search_rings(job.paths, {});
    EXPECT_NEAR(found.busbw.value() / 1e9, 6 * (ranks % 8), 1e-6);
    EXPECT_TRUE(found.proved_optimal);
    EXPECT_GE(found.busbw, ring_bottleneck(job.paths, channel_rings(job.paths))->busbw);
  }
}

// Eight cards of 6 GB/s in each of 24 nodes, two on a PCIe switch, each on a rail with leaves of
// its own. The cable of one card is missing: seven rings keep to the other rails.
TEST(PartialNodes, GivesUpTheRingOfAMissingCardOnly) {
  const NodeTypeSpec type{"pairs",
                          {socket({switches(4, {gpus(2), nics(2)})})},
                          std::nullopt,
                          {},
                          NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)}};
  Cluster cluster = build_cluster(on_fat_tree(type, 24, 3, 24, 1, 8));
  const auto is_lost = [&](const Cable& each) {
    const std::string& a = cluster.vertices[static_cast<std::size_t>(each.a)].name;
    const std::string& b = cluster.vertices[static_cast<std::size_t>(each.b)].name;
    return (a == "node5.nic3") != (b == "node5.nic3") && (a + b).find("leaf") != std::string::npos;
  };
  ASSERT_EQ(std::erase_if(cluster.cables, is_lost), 1U);
  const Topology topology{std::move(cluster)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 192, {})};
  const FoundRings found = search_rings(paths, {});
  EXPECT_EQ(found.rings.size(), 7U);
  EXPECT_NEAR(found.busbw.value() / 1e9, 7 * 6.0, 1e-6);
  EXPECT_TRUE(found.proved_optimal);
}

}  // namespace
}  // namespace ringcast
