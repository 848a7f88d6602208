#include "app/config/cluster/slurm_yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/common/mapped.hpp"
#include "tests/refusal.hpp"
#include "topology/import/slurm_topology.hpp"

namespace ringcast {
namespace {

/// The cables by the names of their ends.
std::vector<std::string> cables_of(const IbNetwork& network) {
  return mapped(network.cables, [&](const IbNetwork::Cable& cable) {
    return fmt::format("{} - {}", network.nodes[static_cast<std::size_t>(cable.a)].id,
                       network.nodes[static_cast<std::size_t>(cable.b)].id);
  });
}

/// Reads a topology.yaml as the topology.conf that says the same.
void expect_same(const std::string& yaml, std::vector<std::string> conf) {
  EXPECT_EQ(cables_of(read_slurm_yaml("topology.yaml", yaml)),
            cables_of(read_slurm_topology("topology.conf", conf)));
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { return read_slurm_yaml("topology.yaml", text); });
}

TEST(SlurmYaml, ATreeIsThatOfTopologyConf) {
  expect_same(
      "---\n- topology: tree1\n  cluster_default: true\n  tree:\n    switches:\n"
      "      - switch: top\n        children: s0\n      - switch: s0\n        nodes: n[0-1], n7\n",
      {"SwitchName=top Switches=s0", "SwitchName=s0 Nodes=n[0-1],n7"});
}

TEST(SlurmYaml, TheDefaultTopologyIsTaken) {
  expect_same(
      "- {topology: a, tree: {switches: [{switch: s, nodes: n0}]}}\n"
      "- {topology: b, cluster_default: true, block: {block_sizes: [4],"
      " blocks: [{block: b1, nodes: 'n[0-3]'}, {block: b2, nodes: n4}]}}\n",
      {"BlockName=b1 Nodes=n[0-3]", "BlockName=b2 Nodes=n4"});
}

TEST(SlurmYaml, TopologiesOfOtherKindsBesideTheDefaultAreNoHindrance) {
  expect_same(
      "- {topology: a, ring: {rings: [{ring: r, nodes: n0}]}}\n"
      "- {topology: b, cluster_default: true, tree: {switches: [{switch: s, nodes: n0}]}}\n",
      {"SwitchName=s Nodes=n0"});
}

TEST(SlurmYaml, AFlatDefaultLeavesTheNetworkToAnotherTopology) {
  expect_same(
      "- {topology: a, cluster_default: True, flat: True}\n"
      "- {topology: b, cluster_default: False, block: {blocks: [{block: b1, nodes: n0}]}}\n",
      {"BlockName=b1 Nodes=n0"});
}

TEST(SlurmYaml, WhichOfSeveralTopologiesIsTakenIsSaid) {
  const std::string tree = "tree: {switches: [{switch: s, nodes: n0}]}}\n";
  const auto remarks_of = [](const std::string& text) {
    return read_slurm_yaml("topology.yaml", text).remarks;
  };
  EXPECT_TRUE(remarks_of("- {topology: a, " + tree).empty());
  EXPECT_EQ(
      remarks_of("- {topology: a, " + tree + "- {topology: b, cluster_default: true, " + tree),
      std::vector<std::string>{"of 2 topologies, b is taken"});
}

TEST(SlurmYaml, WhatMakesNoSenseIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("- {topology: t, tree: {switches: []}, trees: 1}\n").substr(0, 42),
            "topology.yaml:1:39: [0].trees: unknown key");
  EXPECT_EQ(refusal("- {topology: t, flat: true}\n"),
            "topology.yaml:1:3: [0]: neither tree nor block (expected the switches of a tree, or "
            "the blocks of a block topology)");
  EXPECT_EQ(refusal("- topology: t\n  tree:\n    switches:\n      - {switch: a, nodes: n0}\n"
                    "      - {switch: b, nodes: 'n['}\n"),
            "topology.yaml:5: brackets of \"n[\" do not match (expected a list such as "
            "n[0-7,12])");
}

}  // namespace
}  // namespace ringcast
