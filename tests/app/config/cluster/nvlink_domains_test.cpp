#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_writer.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/config/cluster/right_cluster.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {
namespace {

using testing::ElementsAre;

/// Trays of two processors with two GPUs and a NIC each.
ClusterSpec trays(int count, const std::string& gpu, const std::string& more = "",
                  const std::string& nvlink = "nvlink-5.0") {
  return cluster_in(fmt::format(
      "name: trays\n"
      "node_types:\n"
      "  tray:\n"
      "    socket_link: host-arm\n"
      "    sockets:\n"
      "      - {{count: 2, root_complexes: [{{devices: [{{kind: gpu, count: 2, link: {}}},"
      " {{kind: nic, link: pcie-5.0-x16}}]}}]}}\n"
      "    nvswitch: {{links_per_gpu: 18, link: {}{}}}\n"
      "nodes: [{{type: tray, count: {}}}]\n"
      "fabric: {{kind: switch, link: infiniband-ndr-4x}}\n",
      gpu, nvlink, more, count));
}

int nodes_of(const ClusterSpec& spec) {
  return spec.nodes.front().count;
}

/// The types and numbers of the nodes: "2 of 18 x tray".
std::vector<std::string> groups_of(const ClusterSpec& spec) {
  std::vector<std::string> groups;
  for (const NodeGroupSpec& group : spec.nodes)
    groups.push_back(fmt::format("{} of {}", group.count, group.type));
  return groups;
}

TEST(NvlinkDomains, AreRacksOfSuperchipsSinceBlackwell) {
  EXPECT_EQ(nodes_of(trays(2, "nvlink-c2c")), 1);
  EXPECT_EQ(nodes_of(trays(18, "nvlink-c2c")), 1);
  EXPECT_EQ(nodes_of(trays(36, "nvlink-c2c")), 2);
  // The largest divisor of 20 up to 18 is 10: two racks.
  EXPECT_EQ(nodes_of(trays(20, "nvlink-c2c")), 2);
  EXPECT_EQ(nodes_of(trays(256, "nvlink-c2c")), 16);  // of 16, though 15 racks have room
  EXPECT_EQ(nodes_of(trays(18, "pcie-5.0-x16")), 18);
  EXPECT_EQ(nodes_of(trays(18, "nvlink-c2c", "", "nvlink-4.0")), 18);
  EXPECT_EQ(nodes_of(trays(18, "nvlink-c2c", "", "nvlink-6.0")), 1);

  const ClusterSpec rack = trays(18, "nvlink-c2c");
  ASSERT_EQ(rack.node_types.size(), 1U);
  EXPECT_EQ(rack.node_types.front().name, "18 x tray");
  EXPECT_EQ(count_ranks(rack), 72);
}

TEST(NvlinkDomains, AreOfNearlyEqualSizeWhereNoDivisorIsNear) {
  EXPECT_THAT(groups_of(trays(19, "nvlink-c2c")), ElementsAre("1 of 10 x tray", "1 of 9 x tray"));
  EXPECT_THAT(groups_of(trays(37, "nvlink-c2c")), ElementsAre("1 of 13 x tray", "2 of 12 x tray"));
  EXPECT_THAT(groups_of(trays(5, "nvlink-c2c", ", nodes: 2")),
              ElementsAre("2 of 2 x tray", "1 of tray"));
}

TEST(NvlinkDomains, AreAsTheFileSays) {
  EXPECT_EQ(nodes_of(trays(4, "nvlink-c2c", ", nodes: 1")), 4);
  EXPECT_EQ(nodes_of(trays(4, "nvlink-c2c", ", nodes: 2")), 2);
  EXPECT_EQ(nodes_of(trays(4, "pcie-5.0-x16", ", nodes: 4")), 1);
}

// 256 trays of four GPUs are the 1,024 that a node may have.
TEST(NvlinkDomains, HaveNoMoreGpusThanANode) {
  EXPECT_EQ(nodes_of(trays(256, "nvlink-c2c", ", nodes: 256")), 1);
  EXPECT_THAT(
      refusal_of([] { return trays(257, "nvlink-c2c", ", nodes: 257"); }),
      ::testing::EndsWith("cluster.yaml:7:60: node_types.tray.nvswitch.nodes: too many GPUs "
                          "or processes in one node (expected at most 1024)"));
}

// Two racks of 18 trays without NICs, on one switch.
TEST(NvlinkDomains, AreRefusedAtTheTypeOfTheirNodes) {
  const auto racks = [] {
    return cluster_in(
        "name: racks\n"
        "node_types:\n"
        "  tray:\n"
        "    sockets: [{root_complexes: [{devices: [{kind: gpu, count: 4, link: nvlink-c2c}]}]}]\n"
        "    nvswitch: {links_per_gpu: 18, link: nvlink-5.0}\n"
        "nodes: [{type: tray, count: 36}]\n"
        "fabric: {kind: switch, link: infiniband-ndr-4x}\n");
  };
  EXPECT_THAT(refusal_of(racks),
              ::testing::EndsWith("cluster.yaml:4:5: node_types.tray: no NIC for the fabric "
                                  "(expected at least one, as node0 is on it)"));
}

// Each is a domain already.
TEST(NvlinkDomains, AreNotJoinedToOthers) {
  const ClusterSpec racks = cluster_in(
      "name: racks\n"
      "node_types:\n"
      "  rack:\n"
      "    sockets: [{root_complexes: [{devices: [{kind: gpu, count: 72, link: nvlink-c2c},"
      " {kind: nic, link: pcie-5.0-x16}]}]}]\n"
      "    nvswitch: {links_per_gpu: 18, link: nvlink-5.0}\n"
      "nodes: [{type: rack, count: 2}]\n"
      "fabric: {kind: explicit, cables: [{from: node0.nic0, to: node1.nic0,"
      " link: infiniband-ndr-4x}]}\n");
  EXPECT_EQ(nodes_of(racks), 2);
}

// Its cables name the NICs of the nodes in the list.
TEST(NvlinkDomains, AreInAnExplicitFabric) {
  const auto hosts = [](const std::string& nodes) {
    return cluster_in(
        "name: hosts\n"
        "node_types:\n"
        "  node:\n"
        "    sockets: [{root_complexes: [{devices: [{kind: gpu, link: pcie-5.0-x16},"
        " {kind: nic, count: 2, link: pcie-5.0-x16}]}]}]\n"
        "    nvswitch: {links_per_gpu: 18, link: nvlink-4.0, nodes: " +
        nodes +
        "}\n"
        "nodes: [{type: node, count: 4}]\n"
        "fabric:\n"
        "  kind: explicit\n"
        "  switches: [s]\n"
        "  cables:\n"
        "    - {from: node0.nic0, to: s, link: infiniband-ndr-4x}\n"
        "    - {from: node1.nic1, to: s, link: infiniband-ndr-4x}\n"
        "    - {from: node2.nic0, to: s, link: infiniband-ndr-4x}\n"
        "    - {from: node3.nic0, to: s, link: infiniband-ndr-4x}\n");
  };
  const auto nics_of = [&](const std::string& nodes) {
    const ClusterSpec cluster = hosts(nodes);
    std::vector<std::string> nics;
    for (const ExplicitFabricSpec::Cable& cable : cluster.explicit_fabric.value().cables)
      nics.push_back(cable.from);
    return nics;
  };
  EXPECT_EQ(nodes_of(hosts("1")), 4);
  EXPECT_THAT(nics_of("1"), ElementsAre("node0.nic0", "node1.nic1", "node2.nic0", "node3.nic0"));
  EXPECT_EQ(nodes_of(hosts("2")), 2);
  EXPECT_THAT(nics_of("2"), ElementsAre("node0.nic0", "node0.nic3", "node1.nic0", "node1.nic2"));
  EXPECT_EQ(nodes_of(hosts("4")), 1);
}

TEST(NvlinkDomains, AreWrittenAsTheNodesThatTheyAre) {
  const ClusterSpec racks = trays(36, "nvlink-c2c");
  const ClusterSpec again = cluster_in(to_yaml(racks));
  EXPECT_EQ(again.nodes, racks.nodes);
  EXPECT_EQ(again.node_types, racks.node_types);
}

}  // namespace
}  // namespace ringcast
