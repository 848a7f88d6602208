#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/nccl_xml.hpp"
#include "tests/topology/import/tray.hpp"
#include "topology/import/nvlink_rack.hpp"

namespace ringcast {
namespace {

using testing::HasSubstr;

std::string cpu_of(const std::string& hash, const std::string& inside) {
  return fmt::format("<cpu host_hash=\"{}\" arch=\"arm64\">{}</cpu>\n", hash, inside);
}

/// Two hosts of two GPUs with `inside` each; their addresses are equal.
std::vector<HostHardware> two_hosts(const std::string& inside) {
  return hosts_of_nccl_xml("rack.xml",
                           "<system version=\"1\">" + cpu_of("0x1", gpu_at("a", inside)) +
                               cpu_of("0x2", gpu_at("a", inside)) +
                               cpu_of("0x1", gpu_at("b", inside)) +
                               cpu_of("0x2", gpu_at("b", inside)) + "</system>",
                           {});
}

TEST(NcclXml, ProcessorsOfSuperchipsAreJoinedByCnvlink) {
  const auto joined_by = [](const std::string& inside) {
    return read_xml("<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" +
                    gpu_at("a", inside) + "</cpu></system>")
        .sockets[0]
        .link_class;
  };
  EXPECT_EQ(joined_by("<c2c bw=\"43125\" count=\"8\"/>"), "cnvlink");
  EXPECT_EQ(joined_by(""), "host-arm");
}

// NCCL fuses the files of hosts that one NVLink domain joins.
TEST(NcclXml, FusedTraysAreOneNode) {
  const std::vector<HostHardware> racks = two_hosts(
      "<nvlink target=\"x\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"43125\" count=\"8\"/>");

  ASSERT_EQ(racks.size(), 1U);
  EXPECT_EQ(racks[0].host, "rack");
  EXPECT_EQ(racks[0].sockets.size(), 4U);
  EXPECT_EQ(count_of(VertexKind::gpu, racks[0]), 4);
  EXPECT_EQ(racks[0].nvswitch, BytesPerSecond{18 * 25e9});
  EXPECT_EQ(all_remarks(racks[0]), "2 hosts are one node, as NVSwitches join their GPUs\n");
}

TEST(NcclXml, OtherHostsOfAFileStaySeveral) {
  const std::vector<HostHardware> hosts =
      two_hosts("<nvlink target=\"x\" count=\"18\" tclass=\"0x068000\"/>");

  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[1].host, "rack-1");
  EXPECT_EQ(hosts[0].sockets.size(), 2U);
  EXPECT_TRUE(alike(hosts[0], hosts[1]));
  // A mistake in one of them is at its line.
  EXPECT_THAT(
      xml_refusal("<system>\n" + cpu_of("0x1", gpu_at("a")) + cpu_of("0x2", "") + "</system>"),
      HasSubstr("topo.xml:3: no GPU"));
}

TEST(NcclXml, RefusesWhatIsNoTopology) {
  EXPECT_THAT(xml_refusal("hello"), HasSubstr("topo.xml:1: no XML"));
  EXPECT_THAT(xml_refusal(""), HasSubstr("no XML"));
  EXPECT_THAT(xml_refusal("<system>\n<cpu>\n<pci busid=\"a\">"), HasSubstr("topo.xml:3: no XML"));
  EXPECT_THAT(xml_refusal("\n<graphs version=\"1\"/>"),
              HasSubstr("topo.xml:2: a graph file, of NCCL_GRAPH_FILE"));
  EXPECT_THAT(xml_refusal("<topology/>"), HasSubstr("the element topology (expected system"));
  EXPECT_THAT(xml_refusal("<system version=\"7\"/>"), HasSubstr("version 7 (expected 1"));
  EXPECT_THAT(xml_refusal("<system/>"), HasSubstr("no cpu in it"));
  EXPECT_THAT(xml_refusal(system_of("")), HasSubstr("no GPU"));
  EXPECT_THAT(xml_refusal(system_of("<pci class=\"0x030200\"/>")), HasSubstr("without busid"));
  EXPECT_THAT(xml_refusal(system_of(gpu_at("a") + "\n" + gpu_at("a"))),
              HasSubstr("topo.xml:4: pci a is repeated"));
  EXPECT_THAT(xml_refusal(system_of(gpu_at("a", "<nvlink target=\"b\" count=\"-4\"/>"))),
              HasSubstr("-4 NVLinks (expected 1 to 99)"));
}

TEST(NcclXml, ExpandsNoEntities) {
  // An entity bomb stays text, and DOCTYPE is skipped.
  EXPECT_THAT(xml_refusal("<!DOCTYPE s [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><s>&b;</s>"),
              HasSubstr("the element s"));
  std::string deep;
  for (int level = 0; level < 40; ++level) {
    deep += fmt::format("<pci busid=\"{}\">", level);
  }
  for (int level = 0; level < 40; ++level) {
    deep += "</pci>";
  }
  EXPECT_THAT(xml_refusal(system_of(deep)), HasSubstr("more than 32 levels of pci"));
}

// As the files that NCCL fuses, on a network.
TEST(NvlinkRack, IsOfEqualTrays) {
  HostHardware other = tray_of_gb200();
  other.sockets[0].cores = 72;

  const auto tray = tray_of(rack_of(std::vector(3, tray_of_gb200())));

  ASSERT_TRUE(tray.has_value());
  EXPECT_EQ(tray->hosts, 1);
  EXPECT_TRUE(alike(*tray, tray_of_gb200()));
  EXPECT_TRUE(tray->remarks.empty());
  EXPECT_FALSE(tray_of(rack_of(std::vector{tray_of_gb200(), other})).has_value());
}

// 36 trays are two racks, 20 two of ten, 19 one of ten and one of nine, 7 one that is not full.
TEST(NvlinkRack, EqualTraysAreRacks) {
  const std::string inside =
      "<nvlink target=\"x\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"43125\" count=\"8\"/>";
  const HostHardware tray =
      read_xml(system_of(gpu_at("a", inside, 100) + gpu_at("b", inside, 100)), {"GB200", ""});
  EXPECT_EQ(equal_hosts(tray, 36).size(), 2U);
  EXPECT_EQ(count_of(VertexKind::gpu, equal_hosts(tray, 36).front()), 36);
  EXPECT_EQ(equal_hosts(tray, 20).size(), 2U);
  EXPECT_EQ(equal_hosts(tray, 19).size(), 2U);
  EXPECT_EQ(count_of(VertexKind::gpu, equal_hosts(tray, 19).back()), 18);
  EXPECT_EQ(equal_hosts(tray, 7).size(), 1U);
  EXPECT_EQ(equal_hosts(tray, 1).front().host, "topo");
  EXPECT_EQ(equal_hosts(equal_hosts(tray, 18).front(), 2).size(), 2U);
  // Other generations join no such racks: by their sm these are A100.
  const HostHardware older = read_xml(system_of(gpu_at("a", inside)));
  EXPECT_EQ(equal_hosts(older, 36).size(), 36U);
}

}  // namespace
}  // namespace ringcast
