#include "topology/import/ib_network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/refusal.hpp"
#include "topology/import/network_nodes.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

IbNetwork network_of(const std::string& text) {
  return read_ib_network("ib.txt", lines_of_text(text));
}

std::string network_refusal(const std::string& text) {
  return refusal_of([&] { return nodes_on_network("ib.txt", network_of(text), {}); });
}

std::vector<std::string> cables_of(const DiscoveredNodes& nodes) {
  std::vector<std::string> texts;
  for (const DiscoveredFabric::Cable& cable : nodes.fabric.value().cables) {
    texts.push_back(cable.from + " " + cable.to + " " + cable.link.link_class);
  }
  return texts;
}

/// Two leaves with a host of two NICs each, joined by two parallel cables.
const std::string two_leaves =
    "# Topology file: generated on ...\n"
    "vendid=0x2c9\r\n"
    "switchguid=0x1(1)\r\n"
    "Switch\t36 \"S-01\"\t\t# \"leaf one\" enhanced port 0 lid 1 lmc 0\r\n"
    "[1]\t\"H-0a\"[1](0b) \t\t# \"n2 mlx5_0\" lid 2 4xHDR\r\n"
    "[2]\t\"H-0c\"[1](0d) \t\t# \"n2 mlx5_1\" lid 3 2xHDR\r\n"
    "[35]\t\"S-02\"[35]\t\t# \"leaf two\" lid 9 4xHDR\r\n"
    "[36]\t\"S-02\"[36]\t\t# \"leaf two\" lid 9 4xHDR\r\n"
    "[37]\t\"H-ff\"[1](ff) \t\t# \"Mellanox Technologies Aggregation Node\" lid 8 4xHDR\r\n"
    "\n"
    "Switch\t36 \"S-02\"\t\t# \"leaf two\" enhanced port 0 lid 9 lmc 0\n"
    "[1]\t\"H-1a\"[1](1b) \t\t# \"n1 mlx5_0\" lid 4 4xHDR\n"
    "[2]\t\"H-1c\"[1](1d) \t\t# \"n1 mlx5_1\" lid 5 4xHDR\n"
    "[35]\t\"S-01\"[35]\t\t# \"leaf one\" lid 1 4xHDR\n"
    "[36]\t\"S-01\"[36]\t\t# \"leaf one\" lid 1 4xHDR\n"
    "\n"
    "Ca\t1 \"H-0a\"\t\t# \"n2 mlx5_0\"\n"
    "[1](0b) \t\"S-01\"[1]\t\t# lid 2 lmc 0 \"leaf one\" lid 1 4xHDR\n"
    "\n"
    "Ca\t1 \"H-ff\"\t\t# \"Mellanox Technologies Aggregation Node\"\n"
    "[1](ff) \t\"S-01\"[37]\t\t# lid 8 lmc 0 \"leaf one\" lid 1 4xHDR\n";

TEST(IbNetwork, EachCableIsThereOnce) {
  const IbNetwork network = network_of(two_leaves);

  EXPECT_EQ(network.nodes.size(), 6U);   // two switches, four adapters
  EXPECT_EQ(network.cables.size(), 6U);  // four to hosts, two between the leaves
}

TEST(IbNetwork, HostsBecomeNodesByName) {
  const DiscoveredNodes nodes = nodes_on_network("ib.txt", network_of(two_leaves), {});

  ASSERT_EQ(nodes.type_of.size(), 2U);
  EXPECT_EQ(nodes.types.at(nodes.type_of[0]).hosts.front(), "n1");
  EXPECT_THAT(nodes.fabric.value().switches, ElementsAre("S-01", "S-02"));
  EXPECT_THAT(cables_of(nodes),
              ElementsAre("node0.nic0 S-02 infiniband-hdr-4x", "node0.nic1 S-02 infiniband-hdr-4x",
                          "node1.nic0 S-01 infiniband-hdr-4x", "node1.nic1 S-01 infiniband-hdr-2x",
                          "S-01 S-02 infiniband-hdr-4x", "S-01 S-02 infiniband-hdr-4x"));
}

TEST(IbNetwork, SaysThatAClassForPortsOfKnownRateIsNotUsed) {
  const ImportHints hints{.network = "infiniband-ndr-4x"};
  const auto remarks = [&](const std::string& listing) {
    return nodes_on_network("ib.txt", network_of(listing), {}, hints).fabric.value().remarks;
  };
  const auto unused = HasSubstr("--network infiniband-ndr-4x is not used");
  EXPECT_THAT(remarks(two_leaves), Contains(unused));
  EXPECT_THAT(
      remarks("Switch\t36 \"S-01\"\t\t# \"leaf\"\n[1]\t\"H-0a\"[1](0b)\t\t# \"n1 mlx5_0\"\n"),
      Not(Contains(unused)));
}

TEST(IbNetwork, NicsOfABoxAreFoundByName) {
  HardwareDevice nic{VertexKind::nic, "", "mlx5_1", "", BytesPerSecond{0}};
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{nic}}}});
  const DiscoveredNodes nodes = nodes_on_network("ib.txt", network_of(two_leaves), {box});

  EXPECT_EQ(nodes.types.size(), 1U);
  EXPECT_EQ(cables_of(nodes).front(), "node0.nic0 S-02 infiniband-hdr-4x");
  EXPECT_EQ(cables_of(nodes)[1], "node1.nic0 S-01 infiniband-hdr-2x");  // n2's mlx5_1
}

TEST(IbNetwork, NicsOfABoxAreFoundByGuid) {
  // The box is n2 of a listing whose adapters have no names; its one NIC is the second adapter
  // there, and so on n1.
  std::string listing = "Switch 36 \"S-01\" # \"leaf\"\n";
  int port = 1;
  for (const char* const each : {"n1 HCA-1 a1", "n1 HCA-2 a2", "n2 HCA-1 b1", "n2 HCA-2 b2"}) {
    const std::string text = each;
    listing += "sysimgguid=0x" + text.substr(9) + "\nCa 1 \"H-" + text.substr(9) + "\" # \"" +
               text.substr(0, 8) + "\"\n[1] \"S-01\"[" + std::to_string(port) + "] # " +
               (port % 2 == 0 ? "4xHDR" : "4xEDR") + "\n";
    ++port;
  }
  HardwareDevice nic{VertexKind::nic, "", "mlx5_1", "", BytesPerSecond{0}};
  nic.guid = adapter_guid("0xB2");
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{nic}}}});
  const DiscoveredNodes nodes = nodes_on_network("ib.txt", network_of(listing), {box});

  EXPECT_THAT(cables_of(nodes), ElementsAre("node0.nic0 S-01 infiniband-hdr-4x",
                                            "node1.nic0 S-01 infiniband-hdr-4x"));
  EXPECT_EQ(adapter_guid("0002:c903:00A0:1b40"), "0002c90300a01b40");
  EXPECT_EQ(adapter_guid("0x0"), "");
  EXPECT_EQ(adapter_guid("none"), "");
}

// Two kinds of nodes: n1 is described by name, n2's NIC has the GUID of the second description, n3
// has the NICs of the first and n4, with two, those of none.
TEST(IbNetwork, HostsAreLikeTheDescriptionOfTheirNameGuidOrNics) {
  std::string listing = "Switch 36 \"S-01\" # \"leaf\"\n";
  int port = 1;
  for (const std::string host : {"n1 mlx5_0", "n2 mlx5_0", "n3 mlx5_0", "n4 mlx5_6", "n4 mlx5_7"}) {
    listing += fmt::format(
        "sysimgguid=0xa{0}\nCa 1 \"H-{0}\" # \"{1}\"\n[1] \"S-01\"[{0}] # 4xHDR\n", port, host);
    ++port;
  }
  const auto described = [](const std::string& name, const std::string& guid, int gpus) {
    HardwareDevice nic{VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}};
    nic.guid = adapter_guid(guid);
    HostHardware host;
    host.host = name;
    host.sockets.push_back({"", "", 0, 0, Bytes{}, {{{nic}}}});
    for (int gpu = 0; gpu < gpus; ++gpu) {
      host.sockets[0].root_complexes[0].devices.push_back({});
    }
    return host;
  };
  const DiscoveredNodes nodes =
      nodes_on_network("ib.txt", network_of(listing),
                       {described("box", "0xff", 4), described("other", "0xa2", 2),
                        described("n1.site", "0xfe", 1)});

  ASSERT_EQ(nodes.type_of.size(), 3U);
  const auto gpus_of = [&](std::size_t host) {
    return count_of(VertexKind::gpu, nodes.types.at(nodes.type_of[host]).hardware);
  };
  EXPECT_EQ(gpus_of(0), 1);
  EXPECT_EQ(gpus_of(1), 2);
  EXPECT_EQ(gpus_of(2), 4);
  EXPECT_THAT(nodes.fabric.value().remarks,
              ElementsAre("hosts without the NICs of the node are left out: 1, the first is n4",
                          "hosts taken to be like box: 1", "hosts taken to be like other: 1",
                          "hosts taken to be like n1.site: 1"));
}

TEST(IbNetwork, BothPortsOfANicAreCabled) {
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt",
      network_of("Ca 2 \"H-1\" # \"n1 mlx5_0\"\n[1] \"S-1\"[1] # 4xHDR\n[2] \"S-2\"[1] # 4xHDR\n"
                 "Ca 2 \"H-2\" # \"n2 mlx5_0\"\n[1] \"S-1\"[2] # 4xHDR\n[2] \"S-2\"[2] # "
                 "4xHDR\n"),
      {});
  EXPECT_THAT(cables_of(nodes),
              ElementsAre("node0.nic0 S-1 infiniband-hdr-4x", "node0.nic0 S-2 infiniband-hdr-4x",
                          "node1.nic0 S-1 infiniband-hdr-4x", "node1.nic0 S-2 infiniband-hdr-4x"));
  EXPECT_THAT(nodes.fabric.value().remarks,
              Contains("NICs with several cables, of which messages to another rank use one: 2, "
                       "the first is n1 mlx5_0"));
}

TEST(IbNetwork, HostsWithoutTheNicsOfABoxAreLeftOut) {
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{}}}});
  for (const char* const name : {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"}) {
    box.sockets[0].root_complexes[0].devices.push_back(
        {VertexKind::nic, "", name, "", BytesPerSecond{0}});
  }
  try {
    static_cast<void>(nodes_on_network("ib.txt", network_of(two_leaves), {box}));
    FAIL() << "hosts without these cards were taken";
  } catch (const ScenarioError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no host with the NICs of the node: that has 4, "));
  }
}

TEST(IbNetwork, ReadsTheNetsOfIbsim) {
  const DiscoveredNodes nodes = nodes_on_network(
      "net",
      network_of("Switch 8 \"Switch1\"\n[1]\t\"Hca1\"[1] w=4\n[2] \"Hca2\" [1]\n\nHca 2 \"Hca1\"\n"
                 "[1]\t\"Switch1\"[1]\n"),
      {});
  EXPECT_EQ(nodes.type_of.size(), 2U);
  EXPECT_TRUE(nodes.fabric.value().cables.front().link.assumed);
}

TEST(IbNetwork, LeavesOutWhatLeadsNowhere) {
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt",
      network_of("Switch 8 \"S-1\"\n[1] \"H-1\"[1] # \"a HCA-1\" 4xEDR\n[2] \"H-2\"[1] # \"b "
                 "HCA-1\" 4xEDR\n[3] \"S-1\"[4]\n\nSwitch 8 \"S-2\"\n[1] \"H-3\"[1]\n"),
      {});
  EXPECT_THAT(nodes.fabric.value().switches, ElementsAre("S-1"));
  std::string remarks;
  for (const std::string& remark : nodes.fabric->remarks) {
    remarks += remark + "\n";
  }
  EXPECT_THAT(remarks, HasSubstr("S-1: a cable to itself is left out"));
  EXPECT_THAT(remarks, HasSubstr("and of rails to the same hosts, are left out: 1"));
}

const std::string network_beside =
    "Switch 8 \"S-1\"\n[1] \"H-1\"[1] # \"a mlx5_0\" 4xEDR\n[2] \"H-2\"[1] # \"b mlx5_0\" 4xEDR\n"
    "[3] \"H-5\"[1] # \"e mlx5_0\" 4xEDR\n"
    "Switch 8 \"S-2\"\n[1] \"H-2\"[2] # \"b mlx5_0\" 4xEDR\n";

// Host b has a port in either network. It forwards nothing, so c cannot reach a.
TEST(IbNetwork, AnAdapterInTwoNetworksDoesNotJoinThem) {
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt", network_of(network_beside + "[2] \"H-3\"[1] # \"c mlx5_0\" 4xEDR\n"), {});

  EXPECT_THAT(nodes.fabric.value().switches, ElementsAre("S-1"));
  EXPECT_THAT(cables_of(nodes),
              ElementsAre("node0.nic0 S-1 infiniband-edr-4x", "node1.nic0 S-1 infiniband-edr-4x",
                          "node2.nic0 S-1 infiniband-edr-4x"));
}

// Each host of the second network is in the first one, too.
TEST(IbNetwork, RailsOnNetworksOfTheirOwnAreKept) {
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt", network_of(network_beside + "[2] \"H-4\"[1] # \"a mlx5_1\" 4xEDR\n"), {});

  EXPECT_THAT(nodes.fabric.value().switches, ElementsAre("S-1", "S-2"));
  EXPECT_THAT(cables_of(nodes),
              ElementsAre("node0.nic0 S-1 infiniband-edr-4x", "node0.nic1 S-2 infiniband-edr-4x",
                          "node1.nic0 S-1 infiniband-edr-4x", "node1.nic0 S-2 infiniband-edr-4x",
                          "node2.nic0 S-1 infiniband-edr-4x"));
}

TEST(IbNetwork, AHostsFurtherPortsAreNamed) {
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{}}}});
  box.sockets[0].root_complexes[0].devices.push_back(
      {VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}});
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt",
      network_of("Switch 8 \"S-1\"\n[1] \"H-1\"[1] # \"a mlx5_0\" 4xEDR\n"
                 "[2] \"H-2\"[1] # \"a mlx5_1\" 4xEDR\n[3] \"H-3\"[1] # \"b mlx5_0\" 4xEDR\n"),
      {box});

  EXPECT_EQ(nodes.type_of.size(), 2U);
  EXPECT_THAT(nodes.fabric.value().remarks,
              Contains("ports of hosts for which the node has no NIC are left out: 1, the first "
                       "is a mlx5_1"));
}

// A port has one cable, so which one the file means is unknown.
TEST(IbNetwork, RefusesAPortWithTwoCables) {
  const std::string near = "Switch 8 \"S-1\"\n[1] \"H-1\"[1]\n[1] \"H-2\"[1]\n";
  EXPECT_THAT(network_refusal(near), HasSubstr("ib.txt:3: port 1 of S-1 has another cable in "
                                               "another line (expected the same one there)"));
  const std::string far = "Switch 8 \"S-1\"\n[1] \"H-1\"[1]\n\nCa 1 \"H-1\"\n[1] \"S-1\"[2]\n";
  EXPECT_THAT(network_refusal(far), HasSubstr("ib.txt:5: port 1 of H-1 has another cable"));
}

TEST(IbNetwork, RefusesWhatIsNoListing) {
  EXPECT_THAT(network_refusal("hello\n"), HasSubstr("ib.txt: no Switch and no Ca"));
  EXPECT_THAT(network_refusal("[1] \"S-1\"[1]\n"), HasSubstr("ib.txt:1: a port without a node"));
  EXPECT_THAT(network_refusal("Switch 8\n"), HasSubstr("ib.txt:1: a node without its number"));
  EXPECT_THAT(network_refusal("Switch 8 \"S-1\"\n[1] \"H-1\"\n"),
              HasSubstr("ib.txt:2: a port that is not cabled to one"));
  EXPECT_THAT(network_refusal("Switch 8 \"S-1\"\nSwitch 8 \"S-1\"\n"),
              HasSubstr("ib.txt:2: a second node S-1"));
  EXPECT_THAT(network_refusal("Ca 1 \"H-1\" # \"n1 HCA-1\"\n"), HasSubstr("no host in it"));
}

TEST(IbNetwork, TwoHostsWithoutASwitchAreCabledToEachOther) {
  const DiscoveredNodes nodes = nodes_on_network(
      "ib.txt",
      network_of(
          "Ca 1 \"H-1\" # \"a mlx5_0\"\n[1](11) \"H-2\"[1](21) # lid 1 \"b mlx5_0\" 4xHDR\n"
          "Ca 1 \"H-2\" # \"b mlx5_0\"\n[1](21) \"H-1\"[1](11) # lid 2 \"a mlx5_0\" 4xHDR\n"),
      {});

  EXPECT_THAT(cables_of(nodes), ElementsAre("node0.nic0 node1.nic0 infiniband-hdr-4x"));
  EXPECT_TRUE(nodes.fabric->switches.empty());
}

}  // namespace
}  // namespace ringcast
