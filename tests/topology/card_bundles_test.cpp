#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

NodeTypeSpec below_one_switch(int gpu_count, int nic_count) {
  return {"node",
          {socket({switches(1, {gpus(gpu_count), nics(nic_count)})})},
          std::nullopt,
          {},
          std::nullopt};
}

long cards_of(const Cluster& cluster) {
  return std::ranges::count(cluster.vertices, VertexKind::nic, &Vertex::kind);
}

// Four cards for two GPUs: two cards in each of two nodes, with twice the 10 GB/s of PCIe and the
// 6 GB/s of FDR.
TEST(CardBundles, JoinTheCardsOfEachGpu) {
  const Cluster cluster = build_cluster(on_one_switch(below_one_switch(2, 4), 2));
  EXPECT_EQ(cards_of(cluster), 4);
  EXPECT_EQ(cable_between(cluster, "node1.sw0", "node1.nic1").bandwidth, 20_GBps);
  const Cable& network = cable_between(cluster, "node1.nic1", "switch0");
  EXPECT_EQ(network.bandwidth, 12_GBps);
  EXPECT_EQ(network.link_class, "2 x infiniband-fdr-4x");
}

TEST(CardBundles, LeaveOtherNumbersOfCardsAlone) {
  EXPECT_EQ(cards_of(build_cluster(on_one_switch(below_one_switch(2, 2), 2))), 4);
  EXPECT_EQ(cards_of(build_cluster(on_one_switch(below_one_switch(2, 3), 2))), 6);
  EXPECT_EQ(cards_of(build_cluster(on_one_switch(below_one_switch(4, 2), 2))), 4);
}

// Two cards for the GPU of one node type, one for that of the other: one switch has cables of one
// class.
TEST(CardBundles, LeaveUnequalNodesAlone) {
  ClusterSpec spec = on_one_switch(below_one_switch(1, 2), 1);
  NodeTypeSpec other = below_one_switch(1, 1);
  other.name = "other";
  spec.node_types.push_back(other);
  spec.nodes.push_back({"other", 1});
  EXPECT_EQ(cards_of(build_cluster(spec)), 3);
}

TEST(CardBundles, CountTheRailsOfABundleAsOne) {
  ClusterSpec spec = on_one_switch(below_one_switch(2, 4), 2);
  spec.single_switch->rails = 4;
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(std::ranges::count(cluster.vertices, VertexKind::network_switch, &Vertex::kind), 2);
}

}  // namespace
}  // namespace ringcast
