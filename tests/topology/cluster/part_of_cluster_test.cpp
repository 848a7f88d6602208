#include "topology/cluster/part_of_cluster.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/topology/machines.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {
namespace {

CableSpec cable_of(double gigabytes, double microseconds) {
  return {"custom", BytesPerSecond{gigabytes * 1e9}, Seconds{microseconds * 1e-6}, "test"};
}

/// Two GPUs and two NICs under one PCIe switch in each node.
ClusterSpec nodes_of_two(int nodes) {
  DeviceSpec pcie{VertexKind::pcie_switch, 1, cable_of(14, 0.1), {}};
  pcie.devices = {{VertexKind::gpu, 2, cable_of(12, 0.2), {}},
                  {VertexKind::nic, 2, cable_of(12, 0.2), {}}};
  RootComplexSpec root;
  root.devices = {pcie};
  SocketSpec socket;
  socket.root_complexes = {root};
  socket.memory = 40_GBps;
  NodeTypeSpec type{
      .name = "node", .sockets = {socket}, .socket_cable = {}, .nvlinks = {}, .nvswitch = {}};
  ClusterSpec spec;
  spec.name = "test";
  spec.node_types = {type};
  spec.nodes = {{"node", nodes}};
  return spec;
}

std::vector<std::string> route_by_names(const Topology& topology, int from, int to) {
  std::vector<std::string> names;
  for (const LinkId link : machines::route(topology, Rank{from}, Rank{to}).links) {
    names.push_back(topology.name_of(link));
  }
  return names;
}

void expect_part_of(const ClusterSpec& spec, const Topology& whole, int ranks) {
  const Topology part{build_part(spec, ranks)};
  ASSERT_GE(part.ranks(), std::min(ranks, whole.ranks()));
  for (int from = 0; from < part.ranks(); ++from) {
    for (int to = 0; to < part.ranks(); ++to) {
      ASSERT_EQ(route_by_names(part, from, to), route_by_names(whole, from, to))
          << ranks << " ranks, from " << from << " to " << to;
      ASSERT_EQ(machines::route(part, Rank{from}, Rank{to}).latency,
                machines::route(whole, Rank{from}, Rank{to}).latency);
    }
  }
}

TEST(PartOfCluster, HasTheRoutesOfTheWholeFatTree) {
  constexpr int nodes = 26;
  for (const auto& [levels, radix, oversubscription, adaptive] :
       {std::tuple{2, 16, 1.0, false}, std::tuple{3, 8, 1.0, false}, std::tuple{3, 8, 3.0, false},
        std::tuple{3, 8, 1.0, true}}) {
    for (const int rails : {1, 2}) {
      ClusterSpec spec = nodes_of_two(nodes);
      spec.fat_tree = FatTreeSpec{
          levels, radix, oversubscription, rails, cable_of(10, 1), cable_of(10, 0.7), adaptive};
      const Topology whole{build_cluster(spec)};
      SCOPED_TRACE(
          fmt::format("{} levels of {}, {}:1, {} rails", levels, radix, oversubscription, rails));
      for (const int ranks : {1, 2, 7, 16, 51, 52}) {
        expect_part_of(spec, whole, ranks);
      }
    }
  }
}

// A leaf of 8 ports has 4 of them down: one of each rail holds a NIC of four nodes. Five nodes are
// on two leaves of each rail, which eight nodes fill.
TEST(PartOfCluster, EndsWithAFullLeaf) {
  ClusterSpec spec = nodes_of_two(64);
  spec.fat_tree = FatTreeSpec{3, 8, 1.0, 2, cable_of(10, 1), std::nullopt};

  EXPECT_EQ(build_part(spec, 10).node_types.size(), 8U);
  EXPECT_EQ(build_part(spec, 1).node_types.size(), 4U);
  EXPECT_EQ(build_part(spec, 128).node_types.size(), 64U);
}

TEST(PartOfCluster, HasTheFirstNodesOfASwitch) {
  ClusterSpec spec = nodes_of_two(100);
  spec.single_switch = SingleSwitchSpec{2, cable_of(10, 1)};
  const Topology whole{build_cluster(spec)};

  EXPECT_EQ(build_part(spec, 5).node_types.size(), 3U);
  EXPECT_EQ(build_part(spec, 1).node_types.size(), 2U);  // which can be disconnected
  expect_part_of(spec, whole, 5);
}

/// 13 nodes of two GPUs and NICs, and 13 of four GPUs and two NICs, by turns of one, two, ...
ClusterSpec nodes_of_two_and_four() {
  ClusterSpec spec = nodes_of_two(1);
  NodeTypeSpec other = spec.node_types.front();
  other.name = "other";
  other.sockets.front().root_complexes.front().devices.front().devices.front().count = 4;
  spec.node_types.push_back(other);
  spec.nodes = {{"node", 1}, {"other", 2}, {"node", 3}, {"other", 4},
                {"node", 5}, {"other", 6}, {"node", 4}, {"other", 1}};
  return spec;
}

TEST(PartOfCluster, HasTheRoutesOfAWholeOfSeveralNodeTypes) {
  ClusterSpec spec = nodes_of_two_and_four();
  spec.single_switch = SingleSwitchSpec{2, cable_of(10, 1)};
  for (const int ranks : {3, 77}) {
    expect_part_of(spec, Topology{build_cluster(spec)}, ranks);
  }
  // 1 of 2 GPUs, 2 of 4, 1 of 2: 12
  EXPECT_EQ(build_part(spec, 11).node_types.size(), 4U);
  EXPECT_EQ(count_ranks(spec), 13 * 2 + 13 * 4);

  spec.single_switch.reset();
  spec.fat_tree = FatTreeSpec{3, 8, 1.0, 2, cable_of(10, 1), cable_of(10, 0.7)};
  for (const int ranks : {1, 3, 10, 77, 78}) {
    expect_part_of(spec, Topology{build_cluster(spec)}, ranks);
  }
}

// GPU 13 is on node 6, the last one that is needed.
TEST(PartOfCluster, HasTheGpusOfAJob) {
  ClusterSpec spec = nodes_of_two(26);
  spec.single_switch = SingleSwitchSpec{2, cable_of(10, 1)};
  spec.job_gpus = {13, 2};

  expect_part_of(spec, Topology{build_cluster(spec)}, 2);
  EXPECT_EQ(build_part(spec, 1).node_types.size(), 7U);
}

TEST(PartOfCluster, ExpectsGpusThatAreThere) {
  ClusterSpec spec = nodes_of_two(26);
  spec.single_switch = SingleSwitchSpec{2, cable_of(10, 1)};
  for (const int missing : {-1, 52}) {
    spec.job_gpus = {3, missing};
    EXPECT_THROW(static_cast<void>(build_part(spec, 1)), ContractViolation) << missing;
  }
}

TEST(PartOfCluster, IsTheWholeIfTheFabricIsListed) {
  ClusterSpec spec = nodes_of_two(3);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"switch"};
  for (int node = 0; node < 3; ++node) {
    fabric.cables.push_back({fmt::format("node{}.nic0", node), "switch", cable_of(10, 1)});
  }

  EXPECT_EQ(build_part(spec, 1).node_types.size(), 3U);
}

TEST(PartOfCluster, IsRefusedLikeTheWhole) {
  ClusterSpec spec = nodes_of_two(100);
  spec.fat_tree = FatTreeSpec{2, 4, 1.0, 1, cable_of(10, 1), std::nullopt};

  EXPECT_THROW(static_cast<void>(build_part(spec, 1)), ScenarioError);
  EXPECT_THROW(static_cast<void>(build_cluster(spec)), ScenarioError);
}

}  // namespace
}  // namespace ringcast
