#include "topology/import/slurm_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "tests/topology/import/tray.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/import/network_nodes.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

IbNetwork slurm_network(const std::string& text) {
  return read_slurm_topology("topology.conf", lines_of_text(text));
}

std::string slurm_refusal(const std::string& text) {
  return refusal_of([&] { return slurm_network(text); });
}

TEST(SlurmTopology, SwitchesAndNodesBecomeANetwork) {
  const IbNetwork network = slurm_network(
      "# a tree\nSwitchName=s0 Nodes=n[0-1] LinkSpeed=100\nswitchname=s1 nodes=n[2-3]\\\n  \n"
      "SwitchName=top Switches=s[0-1] # both\n");

  EXPECT_EQ(network.nodes.size(), 7U);
  EXPECT_EQ(network.cables.size(), 6U);
  EXPECT_THAT(network.remarks, ElementsAre(HasSubstr("how many cables join two switches")));
  const DiscoveredNodes nodes = nodes_on_network("topology.conf", network, {}, {});
  EXPECT_EQ(nodes.type_of.size(), 4U);
  EXPECT_EQ(nodes.fabric.value().cables.front().to, "s0");
  EXPECT_TRUE(nodes.fabric->cables.front().link.assumed);
}

TEST(SlurmTopology, NodesOfASwitchAboveOthersAreBelowThese) {
  // What scontrol show topology prints.
  const IbNetwork network = slurm_network(
      "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\n"
      "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]\n"
      "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n");

  EXPECT_EQ(network.nodes.size(), 7U);
  EXPECT_EQ(network.cables.size(), 6U);  // four to nodes, two between switches
}

TEST(SlurmTopology, HostsThatNoSwitchBelowListsAreOnTheSwitchItself) {
  const IbNetwork network = slurm_network(
      "SwitchName=core Nodes=login[1-2],dgx[1-4],n[0-1] Switches=mid\n"
      "SwitchName=mid Nodes=n[0-1] Switches=leaf\nSwitchName=leaf Nodes=n[0-1]\n");

  EXPECT_EQ(network.nodes.size(), 11U);
  EXPECT_EQ(network.cables.size(), 10U);  // 8 hosts, two between switches
  EXPECT_EQ(nodes_on_network("topology.conf", network, {}, {}).type_of.size(), 8U);
}

TEST(SlurmTopology, BlocksAreSwitchesThatOneMoreJoins) {
  const IbNetwork network =
      slurm_network("BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n[4-7]\nBlockSizes=4,8\n");

  // Eight nodes, two blocks and the switch above; a cable each but for the last.
  EXPECT_EQ(network.nodes.size(), 11U);
  EXPECT_EQ(network.cables.size(), 10U);
  EXPECT_THAT(network.remarks, ElementsAre(HasSubstr("join the blocks"),
                                           HasSubstr("how many cables join two switches")));
  EXPECT_EQ(slurm_network("BlockName=b1 Nodes=n[0-3]\n").cables.size(), 4U);
}

TEST(SlurmTopology, TheSwitchAboveBlocksHasANameOfItsOwn) {
  const IbNetwork network =
      slurm_network("BlockName=b1 Nodes=blocks\nBlockName=blocks-above Nodes=n1\n");

  EXPECT_EQ(network.nodes.size(), 5U);
  EXPECT_EQ(network.cables.size(), 4U);
}

TEST(SlurmTopology, ValuesMayBeQuotedAndApart) {
  const IbNetwork network = slurm_network("SwitchName = s Nodes= \"n[0-3]\"\n");

  EXPECT_EQ(network.nodes.at(1).id, "n0");
  EXPECT_EQ(network.cables.size(), 4U);
}

// As `scontrol show topology` printed it for four trays of GB300.
TEST(SlurmTopology, AggregatedBlocksRepeatTheNodesOfTheirBlocks) {
  const IbNetwork network = slurm_network(
      "BlockName=b0 BlockIndex=0 Nodes=10.140.71.103,10.140.88.115 BlockSize=2\n"
      "BlockName=b1 BlockIndex=1 Nodes=10.140.79.152,10.140.93.120 BlockSize=2\n"
      "AggregatedBlock=b[0-1] BlockIndex=2 Nodes=10.140.71.103,10.140.79.152,10.140.88.115,"
      "10.140.93.120 BlockSize=4\n");

  EXPECT_EQ(network.nodes.size(), 7U);  // four nodes, two blocks and the switch above
  EXPECT_EQ(network.cables.size(), 6U);
}

TEST(SlurmTopology, RanksFollowTheNumbersOfTheNodes) {
  const DiscoveredNodes nodes =
      nodes_on_network("topology.conf", slurm_network("SwitchName=s0 Nodes=n[1,10,2]\n"), {}, {});

  ASSERT_EQ(nodes.types.size(), 1U);
  EXPECT_EQ(nodes.types[0].hosts, (std::vector<std::string>{"n1", "n2", "n10"}));
}

TEST(SlurmTopology, ACableToANodeIsThatOfAllItsNics) {
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{}}}});
  for (const char* const name : {"mlx5_0", "mlx5_1"}) {
    box.sockets[0].root_complexes[0].devices.push_back(
        {VertexKind::nic, "", name, "", BytesPerSecond{0}});
  }
  const DiscoveredNodes nodes =
      nodes_on_network("topology.conf", slurm_network("SwitchName=s0 Nodes=n[0-1]\n"), {box},
                       {"", "infiniband-ndr-4x"});

  ASSERT_EQ(nodes.fabric.value().cables.size(), 4U);
  EXPECT_EQ(nodes.fabric->cables[3].from, "node1.nic1");
  EXPECT_EQ(nodes.fabric->cables[3].link.link_class, "infiniband-ndr-4x");

  // Without the hint, what the node's description knows: 200 Gb/s of Ethernet.
  for (HardwareDevice& device : box.sockets[0].root_complexes[0].devices) {
    device.port_rate = 200_Gbps;
  }
  const DiscoveredNodes known =
      nodes_on_network("topology.conf", slurm_network("SwitchName=s0 Nodes=n[0-1]\n"), {box}, {});
  EXPECT_EQ(known.fabric.value().cables[0].link.link_class, "ethernet-200g");
}

/// The bandwidths of the cables between switches, in ports of NDR.
std::vector<double> uplinks_of(const std::string& text) {
  const DiscoveredNodes nodes = nodes_on_network("topology.conf", slurm_network(text),
                                                 {tray_of_gb200()}, {"", "infiniband-ndr-4x"});
  const BytesPerSecond port = link_class_named("infiniband-ndr-4x").achievable;
  std::vector<double> uplinks;
  for (const DiscoveredFabric::Cable& cable : nodes.fabric.value().cables) {
    if (cable.from.starts_with("node")) continue;
    EXPECT_EQ(cable.link.link_class, "infiniband-ndr-4x");
    EXPECT_TRUE(cable.link.assumed);
    EXPECT_TRUE(cable.link.is_trunk);  // what kernels of one host copy does not limit it
    uplinks.push_back(cable.link.bandwidth.value() / port.value());
  }
  return uplinks;
}

// Two NICs a host; Slurm says nothing of cables, so nothing blocks.
TEST(SlurmTopology, SwitchesHaveAsManyUplinksAsNicsBelow) {
  EXPECT_THAT(uplinks_of("BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n[4-6]\n"),
              ElementsAre(8, 6));
  EXPECT_THAT(uplinks_of("SwitchName=top Switches=mid\nSwitchName=mid Switches=a,b\n"
                         "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n2\n"),
              ElementsAre(6, 4, 2));
  // Two switches above share the six NICs of one below.
  EXPECT_THAT(uplinks_of("SwitchName=a Nodes=n[0-2]\nSwitchName=s Switches=a\n"
                         "SwitchName=t Switches=a\n"),
              ElementsAre(3, 3));
  // A link of a cluster file has at most 100 TB/s, 2061 cables.
  EXPECT_THAT(uplinks_of("SwitchName=a Nodes=n[0-1999]\nSwitchName=s Switches=a\n"),
              ElementsAre(2000, 2000));
}

TEST(SlurmTopology, BlocksOfTraysAreNodes) {
  const DiscoveredNodes nodes = nodes_on_network(
      "topology.conf", slurm_network("BlockName=b1 Nodes=n[0-1,4]\nBlockName=b2 Nodes=n[2-3]\n"),
      {tray_of_gb200()}, {"", "infiniband-ndr-4x"});

  ASSERT_EQ(nodes.types.size(), 2U);
  EXPECT_THAT(nodes.types[0].hosts, ElementsAre("n0, n1, n4"));
  EXPECT_THAT(nodes.types[1].hosts, ElementsAre("n2, n3"));
  EXPECT_EQ(nodes.fabric.value().cables.at(5).from, "node0.nic5");
  EXPECT_EQ(nodes.fabric->cables[5].to, "b1");
  EXPECT_THAT(nodes.fabric->remarks,
              Contains("the hosts of a block are taken to share NVSwitches"));
}

TEST(SlurmTopology, CablesThatAListRepeatsAreOne) {
  EXPECT_EQ(slurm_network("SwitchName=a Nodes=n1,n1\nSwitchName=b Switches=a,a\n").cables.size(),
            2U);
}

TEST(SlurmTopology, RefusesSwitchesInACircle) {
  EXPECT_THAT(slurm_refusal("SwitchName=s Switches=s\n"),
              HasSubstr("topology.conf:1: switch s is below itself"));
  EXPECT_THAT(
      slurm_refusal("SwitchName=a Nodes=n[0-3] Switches=b\nSwitchName=b Switches=a Nodes=n9\n"),
      HasSubstr("topology.conf:1: switch a is below itself (expected other switches)"));
  EXPECT_THAT(slurm_refusal("SwitchName=top Switches=a\nSwitchName=a Switches=b\n"
                            "SwitchName=b Switches=c\nSwitchName=c Switches=a Nodes=n1\n"),
              HasSubstr("topology.conf:2: switch a is below itself"));
  // A switch may be below several.
  EXPECT_EQ(slurm_network("SwitchName=a Nodes=n1\nSwitchName=s Switches=a\nSwitchName=t "
                          "Switches=a\n")
                .cables.size(),
            3U);
}

// Slurm removes comments before it joins lines.
TEST(SlurmTopology, CommentsHaveNoContinuationLines) {
  EXPECT_EQ(slurm_network("# leaves: / \\\nSwitchName=a Nodes=n1\nSwitchName=s Switches=a # \\\n")
                .cables.size(),
            2U);
}

TEST(SlurmTopology, RefusesWhatMakesNoSense) {
  EXPECT_THAT(slurm_refusal("# nothing\n"), HasSubstr("topology.conf: no SwitchName"));
  EXPECT_THAT(slurm_refusal("hello\n"), HasSubstr("topology.conf:1: \"hello\" (expected"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=ALL\n"),
              HasSubstr("topology.conf:1: ALL names no hosts (expected a list"));
  EXPECT_THAT(slurm_refusal("Nodes=n1\n"), HasSubstr("topology.conf:1: no SwitchName"));
  EXPECT_THAT(slurm_refusal("SwitchName=s\n"),
              HasSubstr("switch s has neither nodes nor switches below it"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=a\nSwitchName=s Nodes=b\n"),
              HasSubstr("topology.conf:2: a second switch s"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=s\n"), HasSubstr("both a switch and a node"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=n[1\n"), HasSubstr("do not match"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=n[]\n"), HasSubstr("brackets without a number"));
  EXPECT_THAT(slurm_refusal("SwitchName=s Nodes=n[0-4294967295]\n"),
              HasSubstr("more than 100000 names"));
  EXPECT_THAT(slurm_refusal("SwitchName=a Nodes=n1\nSwitchName=s Switches=a,b\n"),
              HasSubstr("topology.conf:2: nothing says what is below switch b"));
  // Its nodes are those of the switches below it, which are not said.
  EXPECT_THAT(slurm_refusal("SwitchName=s Level=0 Nodes=n1\nSwitchName=t Level=1 Nodes=n1\n"),
              HasSubstr("topology.conf:2: switch t of level 1 has no switches below it"));
}

}  // namespace
}  // namespace ringcast
