#include "topology/cluster/nic_bundles.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// Two PCIe switches with `gpu_count` GPUs and these devices each.
ClusterSpec with_devices(int gpu_count, std::vector<DeviceSpec> others, int rails = 1) {
  others.insert(others.begin(), gpus(gpu_count));
  return on_one_switch({"node", {socket({switches(2, others)})}, std::nullopt, {}, std::nullopt}, 2,
                       rails);
}

TEST(NicBundles, JoinTheNicsOfEachGpu) {
  const Cluster cluster = build_cluster(with_devices(2, {nics(8)}));

  // 16 NICs per node for 4 GPUs: 4 of 4 ports. PCIe 4 * 10 GB/s, the fabric 4 * 6.
  const auto is_nic = [](const Vertex& vertex) { return vertex.kind == VertexKind::nic; };
  EXPECT_EQ(std::ranges::count_if(cluster.vertices, is_nic), 8);
  const Cable& inside = cable_between(cluster, "node1.sw1", "node1.nic3");
  EXPECT_EQ(inside.bandwidth, BytesPerSecond{40e9});
  EXPECT_EQ(inside.link_class, "4 x pcie-3.0-x16");
  EXPECT_EQ(cable_between(cluster, "node1.nic3", "switch0").bandwidth, BytesPerSecond{24e9});
}

TEST(NicBundles, JoinNicsOfSeveralEntriesAndTheirRails) {
  const ClusterSpec spec = detail::with_bundled_nics(with_devices(1, {nics(1), nics(1)}, 4));

  EXPECT_EQ(spec.single_switch->rails, 2);
  EXPECT_EQ(spec, detail::with_bundled_nics(with_devices(1, {nics(2)}, 4)));
}

// The four NICs of a GPU are on both rails, as those of each other GPU.
TEST(NicBundles, JoinNicsThatShareRails) {
  for (const int rails : {2, 4}) {
    const ClusterSpec spec = with_devices(1, {nics(4)}, rails);
    EXPECT_EQ(detail::with_bundled_nics(spec),
              detail::with_bundled_nics(with_devices(1, {nics(4)})));
    EXPECT_EQ(detail::nics_apart(spec), 0);
  }
}

TEST(NicBundles, NameTheNicsThatTheirRailsKeepApart) {
  EXPECT_EQ(detail::nics_apart(with_devices(1, {nics(4)}, 3)), 4);
  EXPECT_EQ(detail::nics_apart(with_devices(2, {nics(2)}, 3)), 0);
}

TEST(NicBundles, NameTheNicsThatAFatTreeKeepsApart) {
  const auto apart_with = [](const DeviceSpec& devices) {
    return detail::nics_apart(
        on_fat_tree(with_devices(2, {devices}).node_types.front(), 2, 2, 36, 1, 2));
  };
  EXPECT_EQ(apart_with(nics(4)), 2);
  EXPECT_EQ(apart_with(nics(2)), 0);
}

TEST(NicBundles, NameNicsThatAreNoMultipleOfTheGpus) {
  EXPECT_EQ(detail::uneven_nics(with_devices(2, {nics(3)})), std::pair(3, 2));
  for (const int even : {0, 1, 2, 4})
    EXPECT_EQ(detail::uneven_nics(with_devices(2, {nics(even)})), std::nullopt) << even;
}

TEST(NicBundles, LeaveOtherClustersAlone) {
  DeviceSpec slow = nics(1);
  slow.cable.bandwidth = BytesPerSecond{5e9};
  ClusterSpec fat_tree = on_fat_tree(with_devices(1, {nics(2)}).node_types.front(), 2, 2, 36);
  for (const ClusterSpec& spec :
       {with_devices(2, {nics(2)}), with_devices(2, {nics(1)}), with_devices(2, {nics(3)}),
        with_devices(1, {nics(1), slow}), with_devices(1, {nics(2)}, 3), fat_tree,
        on_one_switch(dual_root(), 2), on_one_switch(cpu_node(2, 2), 2), cluster_of(dgx1(), 1)}) {
    EXPECT_EQ(detail::with_bundled_nics(spec), spec);
  }
}

}  // namespace
}  // namespace ringcast
