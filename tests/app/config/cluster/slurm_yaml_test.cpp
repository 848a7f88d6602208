#include "app/config/cluster/slurm_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(const std::string& text) {
  return read_slurm_yaml("topology.yaml", text).lines;
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { static_cast<void>(read_slurm_yaml("topology.yaml", text)); });
}

TEST(SlurmYaml, ATreeBecomesLinesAtTheSamePlaces) {
  EXPECT_THAT(lines_of("---\n- topology: tree1\n  cluster_default: true\n  tree:\n"
                       "    switches:\n      - switch: top\n        children: s[0-1]\n"
                       "      - switch: s0\n        nodes: n[0-1], n7\n"),
              ElementsAre("", "", "", "", "", "SwitchName=top Switches=s[0-1]", "",
                          "SwitchName=s0 Nodes=n[0-1],n7"));
}

TEST(SlurmYaml, TheDefaultTopologyIsTaken) {
  EXPECT_THAT(lines_of("- {topology: a, tree: {switches: [{switch: s, nodes: n0}]}}\n"
                       "- {topology: b, cluster_default: true, block: {block_sizes: [4],"
                       " blocks: [{block: b1, nodes: 'n[0-3]'}, {block: b2, nodes: n4}]}}\n"),
              ElementsAre("", "BlockName=b1 Nodes=n[0-3]", "BlockName=b2 Nodes=n4"));
}

TEST(SlurmYaml, TopologiesOfOtherKindsBesideTheDefaultAreNoHindrance) {
  EXPECT_THAT(lines_of("- {topology: a, ring: {rings: [{ring: r, nodes: n0}]}}\n"
                       "- {topology: b, cluster_default: true, tree: {switches: "
                       "[{switch: s, nodes: n0}]}}\n"),
              ElementsAre("", "SwitchName=s Nodes=n0"));
}

TEST(SlurmYaml, AFlatDefaultLeavesTheNetworkToAnotherTopology) {
  EXPECT_THAT(lines_of("- {topology: a, cluster_default: True, flat: True}\n"
                       "- {topology: b, cluster_default: False, block: {blocks: "
                       "[{block: b1, nodes: n0}]}}\n"),
              ElementsAre("", "BlockName=b1 Nodes=n0"));
}

TEST(SlurmYaml, WhichOfSeveralTopologiesIsTakenIsSaid) {
  const std::string tree = "tree: {switches: [{switch: s, nodes: n0}]}}\n";
  EXPECT_EQ(read_slurm_yaml("topology.yaml", "- {topology: a, " + tree).remark, "");
  EXPECT_EQ(read_slurm_yaml("topology.yaml", "- {topology: a, " + tree +
                                                 "- {topology: b, cluster_default: true, " + tree)
                .remark,
            "of 2 topologies, b is taken");
}

TEST(SlurmYaml, WhatMakesNoSenseIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("- {topology: t, tree: {switches: []}, trees: 1}\n").substr(0, 42),
            "topology.yaml:1:39: [0].trees: unknown key");
  EXPECT_EQ(refusal("- {topology: t, flat: true}\n"),
            "topology.yaml:1:3: [0]: neither tree nor block (expected the switches of a tree, or "
            "the blocks of a block topology)");
  EXPECT_EQ(refusal("- topology: t\n  tree:\n    switches:\n      - switch: a b\n"),
            "topology.yaml:4:17: [0].tree.switches[0].switch: \"a b\" (expected a name without "
            "blanks)");
}

}  // namespace
}  // namespace ringcast
