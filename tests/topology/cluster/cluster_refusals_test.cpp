#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

std::string refusal_of(const ClusterSpec& spec) {
  return refusal([&] { (void)build_cluster(spec); });
}

TEST(BuildClusterRefuses, FatTreesThatDoNotComeOutEven) {
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 4)),
            "fat tree: radix 36 at 4:1 gives a leaf 7.2 ports up (expected a whole number from 1 "
            "to 35, as with radix 35 or 40)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 3, 64, 4)),
            "fat tree: radix 64 at 4:1 gives a leaf 12.8 ports up (expected a whole number from 1 "
            "to 63, as with radix 60 or 70)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 100)),
            "fat tree: radix 36 at 100:1 gives a leaf 0.3564 ports up (expected a whole number "
            "from 1 to 35, as with radix 101)");
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
            "rails: 2 (expected at most 1, as node0 has 1 network card)");
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
  EXPECT_EQ(refusal_of(spec), "the name sw is used twice (expected a name of its own)");
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
  EXPECT_EQ(refusal_of(cluster_of(no_gpu, 1)),
            "cluster test: no gpu (expected at least one, or processes)");
  EXPECT_EQ(refusal_of(cluster_of(empty, 1)),
            "cluster test: no gpu (expected at least one, or processes)");
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

TEST(BuildClusterRefuses, FirstGpusThatAreNotThere) {
  ClusterSpec spec = cluster_of(dual_root(), 1);
  spec.first_gpus = {0, 8};
  EXPECT_EQ(refusal_of(spec), "one of the GPUs is not there (expected numbers from 0 to 7)");

  spec.first_gpus = {4, 4};
  EXPECT_EQ(refusal_of(spec), "GPU 4 is there twice (expected each once)");
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

}  // namespace
}  // namespace ringcast
