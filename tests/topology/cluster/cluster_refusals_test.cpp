#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

std::string refusal_of(const ClusterSpec& spec) {
  return refusal([&] { (void)build_cluster(spec); });
}

TEST(BuildClusterRefuses, FatTreesThatDoNotDivideEvenly) {
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 4)),
            "fat tree: radix 36 at 4:1 gives a leaf 7.2 ports up (expected a whole number from 1 "
            "to 35, as with oversubscription 3.5 or 4.143, or radix 35 or 40)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 3, 64, 4)),
            "fat tree: radix 64 at 4:1 gives a leaf 12.8 ports up (expected a whole number from 1 "
            "to 63, as with oversubscription 3.923 or 4.333, or radix 60 or 70)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 36, 100)),
            "fat tree: radix 36 at 100:1 gives a leaf 0.3564 ports up (expected a whole number "
            "from 1 to 35, as with oversubscription 35, or radix 101)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 3, 9, 2)),
            "fat tree: radix 9 (expected an even number: a spine has as many ports up as down)");
}

// A leaf of 1000 ports at 150:1 would have 6.6 up; 993 / 7 and 994 / 6 are the nearest ratios. None
// is below 1.
TEST(BuildClusterRefuses, FatTreesButForTheRatiosThatItNames) {
  const std::string wide = refusal_of(on_fat_tree(least(), 8, 2, 1000, 150));
  EXPECT_NE(wide.find("oversubscription 141.857 or 165.667, or radix"), wide.npos) << wide;
  for (const double ratio : {141.857, 165.667}) {
    EXPECT_EQ(refusal_of(on_fat_tree(least(), 8, 2, 1000, ratio)), "nothing was refused");
  }
  const std::string odd = refusal_of(on_fat_tree(least(), 8, 2, 35, 1));
  EXPECT_NE(odd.find("oversubscription 1.059, or radix"), odd.npos) << odd;
}

TEST(BuildClusterRefuses, FatTreesThatAreTooSmall) {
  // 2 levels: 8 leaves of 4; 3 levels: 8 pods of 4 leaves of 4
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 33, 2, 8)),
            "fat tree: 2 levels of radix 8 at 1:1 with 1 rail are too small for 33 nodes "
            "(expected 32 at most, 3 levels, or a greater radix)");
  EXPECT_EQ(refusal_of(on_fat_tree(least(), 129, 3, 8)),
            "fat tree: 3 levels of radix 8 at 1:1 with 1 rail are too small for 129 nodes "
            "(expected 128 at most, or a greater radix)");
  // 8 rails on 8 leaves: one each, with 4 NICs down
  EXPECT_EQ(refusal_of(on_fat_tree(eight_rails(), 5, 2, 8, 1, 8)),
            "fat tree: 2 levels of radix 8 at 1:1 with 8 rails are too small for 5 nodes "
            "(expected 4 at most, 3 levels, or a greater radix)");
}

TEST(BuildClusterRefuses, RailsWithoutNics) {
  EXPECT_EQ(refusal_of(on_one_switch(dual_root(), 2, 2)),
            "rails: 2 (expected at most 1, as node0 has 1 NIC)");
}

TEST(BuildClusterRefuses, NodesWithoutNics) {
  EXPECT_EQ(refusal_of(on_one_switch(dgx2(), 2)),
            "node type dgx2: no NIC for the fabric (expected at least one, as node0 is on "
            "it)");
}

TEST(BuildClusterRefuses, SwitchesNamedAsVertices) {
  ClusterSpec spec = cluster_of(least(), 2);
  spec.explicit_fabric = ExplicitFabricSpec{{"node0.gpu0"}, {}};
  EXPECT_EQ(refusal_of(spec), "the name node0.gpu0 is used twice (expected a name of its own)");
}

TEST(BuildClusterRefuses, ClustersWithoutRanks) {
  NodeTypeSpec no_gpu = least();
  no_gpu.sockets[0].root_complexes[0].devices = {nics(1)};
  NodeTypeSpec empty = least();
  empty.sockets[0].root_complexes[0].devices.clear();
  for (const NodeTypeSpec& type : {no_gpu, empty}) {
    EXPECT_EQ(refusal_of(cluster_of(type, 1)),
              "cluster test: no gpu (expected at least one, or processes)");
  }
}

TEST(BuildCluster, ExpectsWhatReadersCheck) {
  ClusterSpec no_socket_cable = cluster_of(dual_root(), 1);
  no_socket_cable.node_types[0].socket_cable.reset();
  ClusterSpec no_process_cable = cluster_of(least(), 1);
  no_process_cable.node_types[0].sockets[0].processes = 1;
  ClusterSpec unknown_type = cluster_of(least(), 1);
  unknown_type.nodes[0].type = "most";
  ClusterSpec repeated_type = cluster_of(least(), 1);
  repeated_type.node_types.push_back(least());
  ClusterSpec to_nowhere = cluster_of(least(), 2);
  to_nowhere.explicit_fabric = ExplicitFabricSpec{{"sw"}, {{"node2.nic0", "sw", fdr()}}};
  ClusterSpec missing_gpu = cluster_of(dual_root(), 1);
  missing_gpu.job_gpus = {0, 8};
  ClusterSpec repeated_gpu = cluster_of(dual_root(), 1);
  repeated_gpu.job_gpus = {4, 4};
  for (const ClusterSpec& spec :
       {no_socket_cable, no_process_cable, unknown_type, repeated_type, to_nowhere, missing_gpu,
        repeated_gpu, cluster_of(dual_root(), 2), on_one_switch(dual_root(), 2, 0),
        on_fat_tree(least(), 8, 4, 36)}) {
    EXPECT_THROW(static_cast<void>(build_cluster(spec)), ContractViolation);
  }
}

}  // namespace
}  // namespace ringcast
