#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/nccl_xml.hpp"

namespace ringcast {
namespace {

using testing::HasSubstr;

const std::string switch_with_nic =
    "<pci busid=\"s\" class=\"0x060400\" link_speed=\"16 GT/s\" link_width=\"16\">" + gpu_at("a") +
    gpu_at("b") +
    "<pci busid=\"c\" class=\"0x020700\" link_speed=\"16.0 GT/s PCIe\" link_width=\"8\"><nic>"
    "<net name=\"mlx5_0\" speed=\"200000\" port=\"1\"/></nic></pci></pci>";

TEST(NcclXml, ElementsBecomeDevices) {
  const HostHardware host = read_xml(system_of(switch_with_nic));

  ASSERT_EQ(host.sockets.size(), 1U);
  // 143 is 15 + 8 = 23: Zen 2.
  EXPECT_EQ(host.sockets[0].link_class, "host-amd-zen2");
  EXPECT_THAT(all_remarks(host), HasSubstr("EPYC 7002 and 7003 slowly: name them with --cpu"));
  EXPECT_THAT(all_remarks(read_xml(system_of(switch_with_nic), {.cpu = "EPYC 7742"})),
              Not(HasSubstr("--cpu")));
  const HardwareDevice& above = host.sockets[0].root_complexes.at(0).devices.at(0);
  EXPECT_EQ(above.kind, VertexKind::pcie_switch);
  ASSERT_EQ(above.devices.size(), 3U);
  EXPECT_EQ(above.devices[0].model, "A100");
  EXPECT_EQ(above.devices[2].kind, VertexKind::nic);
  EXPECT_TRUE(above.devices[2].infiniband);
  EXPECT_EQ(above.devices[2].port_rate, 200_Gbps);
  // x8 of PCIe 4.0: 8 lanes x 16 Gb/s x 128/130 / 8 = 15.75 GB/s
  EXPECT_NEAR(above.devices[2].link.value(), 15.75e9, 1e7);
}

TEST(NcclXml, NvlinksJoinGpusOrLeadToSwitches) {
  const HostHardware pair =
      read_xml(system_of(gpu_at("a", "<nvlink target=\"b\" count=\"4\" tclass=\"0x030200\"/>") +
                         gpu_at("b", "<nvlink target=\"a\" count=\"4\" tclass=\"0x030200\"/>")));
  ASSERT_EQ(pair.nvlinks.size(), 1U);
  EXPECT_EQ(pair.nvlinks[0].rate, BytesPerSecond{4 * 25e9});

  const std::string to_switches =
      "<nvlink target=\"x\" count=\"5\" tclass=\"0x068000\"/>"
      "<nvlink target=\"y\" count=\"7\" tclass=\"0x068000\"/>";
  const HostHardware switched =
      read_xml(system_of(gpu_at("a", to_switches) + gpu_at("b", to_switches)));
  EXPECT_EQ(switched.nvswitch, BytesPerSecond{12 * 25e9});

  const HostHardware self =
      read_xml(system_of(gpu_at("a", "<nvlink target=\"a\" count=\"12\" tclass=\"0x030200\"/>")));
  EXPECT_TRUE(self.nvlinks.empty());
  EXPECT_THAT(all_remarks(self), HasSubstr("12 NVLinks to a are left out, which is itself"));
}

TEST(NcclXml, AddressesAreTheSameInCapitals) {
  const HostHardware pair =
      read_xml(system_of(gpu_at("0000:0A:00.0", "<nvlink target=\"0000:0b:00.0\" count=\"4\"/>") +
                         gpu_at("0000:0b:00.0", "<nvlink target=\"0000:0A:00.0\" count=\"4\"/>")));

  ASSERT_EQ(pair.nvlinks.size(), 1U);
  EXPECT_EQ(pair.nvlinks[0].rate, BytesPerSecond{4 * 25e9});
}

// As of a tray of GB300 one GPU of which had lost its NVLinks: 12 x 25 GB/s of each of the others,
// half of them for each peer.
TEST(NcclXml, AGpuWithoutNvlinksLeavesTheOthersTheirs) {
  const auto joined = [](const std::string& address, int links) {
    return gpu_at(address,
                  fmt::format("<nvlink target=\"x\" count=\"{}\" tclass=\"0x068000\"/>", links));
  };
  const HostHardware host =
      read_xml(system_of(joined("a", 12) + joined("b", 12) + joined("c", 12) + gpu_at("d")));
  EXPECT_EQ(host.nvswitch, BytesPerSecond{0});
  ASSERT_EQ(host.nvlinks.size(), 3U);
  EXPECT_NEAR(host.nvlinks[2].rate.value(), 150e9, 1e6);
  EXPECT_THAT(all_remarks(host), HasSubstr("NVSwitches join 3 of the GPUs only"));

  const HostHardware uneven = read_xml(system_of(joined("a", 12) + joined("b", 11)));
  EXPECT_EQ(uneven.nvswitch, BytesPerSecond{11 * 25e9});
  EXPECT_THAT(all_remarks(uneven), HasSubstr("GPU 1 has 275 GB/s of NVLinks to the switches"));
}

// RCCL: the links of MI300X are 64 GB/s each.
TEST(NcclXml, InfinityFabricJoinsAmdGpus) {
  const auto amd = [](const std::string& address, const std::string& target) {
    return fmt::format(
        "<pci busid=\"{}\" class=\"0x120000\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
        "<gpu dev=\"0\" sm=\"94\" gcn=\"gfx942:sramecc+:xnack-\" rank=\"0\"><xgmi target=\"{}\" "
        "count=\"2\" tclass=\"0x120000\"/></gpu></pci>",
        address, target);
  };
  const HostHardware host = read_xml(system_of(amd("a", "b") + amd("b", "a")));
  ASSERT_EQ(host.nvlinks.size(), 1U);
  EXPECT_NEAR(host.nvlinks[0].rate.value(), 128e9, 1);
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[0].model, "MI300X");
  EXPECT_EQ(all_remarks(host), "");
}

// One architecture is that of several products.
TEST(NcclXml, AnOptionNamesTheProductOfAnAmdArchitecture) {
  const auto model_of = [](const std::string& gcn, const std::string& gpu) {
    const HostHardware host =
        read_xml(system_of("<pci busid=\"a\" class=\"0x120000\"><gpu dev=\"0\" sm=\"94\" gcn=\"" +
                           gcn + "\" rank=\"0\"/></pci>"),
                 {.gpu = gpu});
    return host.sockets[0].root_complexes[0].devices[0].model;
  };
  EXPECT_EQ(model_of("gfx942", "MI325X"), "MI325X");
  EXPECT_EQ(model_of("gfx942", "MI300A"), "MI300A");
  EXPECT_EQ(model_of("gfx90a", "MI250"), "MI250");
}

// pci.ids has Instinct MI210 and later as processing accelerators, and others' devices, too.
TEST(NcclXml, AcceleratorsOfAmdAreGpus) {
  const HostHardware host =
      read_xml(system_of("<pci busid=\"a\" class=\"0x120000\" vendor=\"0x1002\"/>"
                         "<pci busid=\"b\" class=\"0x120000\" vendor=\"0x8086\"/>"));
  EXPECT_EQ(count_of(VertexKind::gpu, host), 1);
  EXPECT_THAT(all_remarks(host), HasSubstr("without xGMI: predict with --transport rccl"));
}

// From OCI's topology file for H100: a NIC of Mellanox, whose GUIDs begin with 946dae.
TEST(NcclXml, GuidsAreNumbersOfALittleEndianProcessor) {
  const HostHardware host = read_xml(
      system_of(gpu_at("a") + "<pci busid=\"c\" class=\"0x020700\"><nic>"
                              "<net name=\"mlx5_0\" speed=\"200000\" guid=\"0x9a70500003ae6d94\"/>"
                              "<net name=\"mlx5_1\" speed=\"200000\" guid=\"0x0\"/></nic></pci>"));
  EXPECT_EQ(host.sockets[0].root_complexes.at(1).devices.at(0).guid, "946dae030050709a");
}

// RCCL counts compute units as sm: 120 of an MI100 (gfx908) are no compute capability.
TEST(NcclXml, ComputeUnitsOfAmdAreNoComputeCapability) {
  const auto model_of = [](const std::string& gcn) {
    const HostHardware host =
        read_xml(system_of("<pci busid=\"a\" class=\"0x038000\"><gpu dev=\"0\" sm=\"120\" gcn=\"" +
                           gcn + "\" rank=\"0\"/></pci>"));
    const std::string model = host.sockets[0].root_complexes[0].devices[0].model;
    EXPECT_EQ(all_remarks(host),
              model.empty() ? "AMD's GPUs without xGMI: predict with --transport rccl\n" : "");
    return model;
  };
  EXPECT_EQ(model_of("908"), "MI100");
  EXPECT_EQ(model_of("906"), "");
}

// A GPU beside a Grace processor: 8 x 43.125 GB/s, and a PCIe link that idles.
TEST(NcclXml, C2cIsTheLinkOfAGpuBesideGrace) {
  const HostHardware host = read_xml(system_of(gpu_at("a", "<c2c bw=\"43125\" count=\"8\"/>")));
  const HardwareDevice& gpu = host.sockets[0].root_complexes[0].devices[0];
  EXPECT_EQ(gpu.link_class, "nvlink-c2c");
  EXPECT_NEAR(gpu.link.value(), 345e9, 1);
}

TEST(NcclXml, BroadcomSwitchesInTwoLevelsAreOne) {
  const std::string model = "class=\"0x060400\" vendor=\"0x1000\" device=\"0xc030\" ";
  const auto port = [&](const std::string& address, const std::string& inside) {
    return fmt::format(
        "<pci busid=\"{}\" {} link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">{}"
        "</pci>",
        address, model, inside);
  };
  const HostHardware host = read_xml(system_of(
      fmt::format("<pci busid=\"t\" {} link_speed=\"5.0 GT/s PCIe\" link_width=\"16\">{}{}</pci>",
                  model, port("p", gpu_at("a") + gpu_at("b")), port("q", gpu_at("d")))));

  const HardwareDevice& above = host.sockets[0].root_complexes.at(0).devices.at(0);
  EXPECT_EQ(above.devices.size(), 3U);
  // Its own 5 GT/s would be 8 GB/s, below the 31.5 GB/s of its devices.
  EXPECT_NEAR(above.link.value(), 31.5e9, 1e8);
  EXPECT_THAT(all_remarks(host), HasSubstr("switch t: its link runs at"));
}

TEST(NcclXml, PortsOfOneNicCountAsOne) {
  const HostHardware host = read_xml(system_of(
      gpu_at("a") +
      "<pci busid=\"c\" class=\"0x020000\" link_speed=\"\" link_width=\"0\"><nic>"
      "<net name=\"mlx5_0\" speed=\"180000\"/><net name=\"mlx5_1\" speed=\"0\"/></nic></pci>"));

  const HardwareDevice& nic = host.sockets[0].root_complexes.at(1).devices.at(0);
  EXPECT_EQ(nic.ports, 1);
  EXPECT_EQ(nic.port_rate, 190_Gbps);  // a speed of 0 counts as 10,000 Mb/s
  EXPECT_EQ(nic.link, BytesPerSecond{0});
}

// rccl's topo_4p_942.xml has kb/s: a port of 200 Tb/s.
TEST(NcclXml, SpeedsThatNoPortHasAreUnknown) {
  const HostHardware host =
      read_xml(system_of(gpu_at("a") + "<nic><net name=\"cxi0\" speed=\"200000000\"/></nic>"
                                       "<nic><net name=\"cxi1\" speed=\"nan\"/></nic>"));
  EXPECT_EQ(host.sockets[0].root_complexes.at(1).devices.at(0).port_rate, BytesPerSecond{0});
  EXPECT_THAT(all_remarks(host),
              HasSubstr("net cxi0: speed 200000000 is no NIC's in Mb/s; taken to be unknown"));
}

// NCCL takes 10,000 Mb/s for such a NIC, which would name a network of 2001.
TEST(NcclXml, NicsWithoutAnySpeedAreUnknown) {
  for (const std::string speed : {"-1", "0", "abc", ""}) {
    const HostHardware host = read_xml(
        system_of(gpu_at("a") + "<nic><net name=\"mlx5_0\" speed=\"" + speed + "\"/></nic>"));
    EXPECT_EQ(host.sockets[0].root_complexes.at(1).devices.at(0).port_rate, BytesPerSecond{0});
    EXPECT_THAT(all_remarks(host), HasSubstr("net mlx5_0: no speed; taken to be unknown"));
  }
}

// What a file says of its GPUs no option changes: sm 90 is that of the H100, the H200 and others.
TEST(NcclXml, GpusAreNoOthersThanTheirsWhateverTheOption) {
  const std::string xml =
      system_of("<pci busid=\"a\" class=\"0x030200\"><gpu dev=\"0\" sm=\"90\" rank=\"0\"/></pci>");
  for (const std::string gpu : {"A100", "B200", "L40S", "MI300X"}) {
    EXPECT_THAT(
        refusal_of([&] { return read_xml(xml, {.gpu = gpu}); }),
        HasSubstr("pci a: a GPU as the H100, not as the " + gpu + " (expected another --gpu)"));
  }
  const HostHardware host = read_xml(xml, {.gpu = "H200"});
  EXPECT_EQ(host.sockets[0].root_complexes.at(0).devices.at(0).model, "H200");
}

TEST(NcclXml, SaysWhichProcessorAnOptionReplaces) {
  const std::string xml = system_of(gpu_at("a", ""));
  EXPECT_THAT(all_remarks(read_xml(xml, {.sockets = "host-arm"})),
              HasSubstr("NCCL names processors of host-amd-zen2: --cpu replaces them by host-arm"));
  EXPECT_THAT(all_remarks(read_xml(xml, {.sockets = "host-amd-zen2"})),
              testing::Not(HasSubstr("--cpu")));
}

TEST(NcclXml, RanksThatShareAGpuCountAsOne) {
  const HostHardware host = read_xml(
      system_of("<pci busid=\"a\" class=\"0x030200\"><gpu dev=\"0\" sm=\"107\" rank=\"0\"/>"
                "<gpu dev=\"0\" sm=\"107\" rank=\"1\"/></pci>"));
  EXPECT_EQ(count_of(VertexKind::gpu, host), 1);
  EXPECT_THAT(all_remarks(host), HasSubstr("pci a: its gpu elements, ranks that share one"));
}

TEST(NcclXml, FilesOfCloudsLackMuch) {
  const HostHardware host = read_xml(
      "<!-- of a cloud --><system><cpu numaid=\"0\"><pci busid=\"g\" class=\"0x030200\"/>"
      "<pci busid=\"u\"/><nic><net name=\"eth0\" speed=\"100000\"/></nic></cpu></system>",
      {"A100 SXM", ""});

  EXPECT_NEAR(host.sockets[0].root_complexes.at(0).devices.at(0).link.value(), 31.5e9, 1e8);
  EXPECT_EQ(host.sockets[0].root_complexes.at(1).devices.at(0).name, "eth0");
  EXPECT_THAT(all_remarks(host), HasSubstr("pci u: left out, it has no class"));
  EXPECT_THAT(all_remarks(host), testing::Not(HasSubstr("NVLinks")));  // of a single GPU
}

// As AWS's file of g5.48xlarge: addresses only. Both NUMA nodes have two GPUs, as the one with
// fewer devices shows; the third of the other is a NIC.
TEST(NcclXml, DevicesWithoutAnyClassAreAssumedToBeGpusAndNics) {
  const HostHardware host = read_xml(
      "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"a\" class=\"\"/><pci "
      "busid=\"b\"/></cpu>"
      "<cpu numaid=\"1\"><pci busid=\"c\"/><pci busid=\"d\"/><pci busid=\"e\"/></cpu></system>");

  EXPECT_EQ(count_of(VertexKind::gpu, host), 4);
  EXPECT_EQ(host.sockets.at(1).root_complexes.at(2).devices.at(0).kind, VertexKind::nic);
  EXPECT_THAT(all_remarks(host), HasSubstr("pci a is taken to be a GPU, it has no class\n"));
  EXPECT_THAT(all_remarks(host), HasSubstr("pci e is taken to be a NIC, it has"));

  // Where NICs are known, the rest are GPUs.
  EXPECT_EQ(count_of(VertexKind::gpu,
                     read_xml("<system><cpu><pci busid=\"a\"/></cpu><cpu><pci busid=\"c\"/>"
                              "<pci busid=\"d\"/><pci busid=\"n\" class=\"0x020000\"/></cpu>"
                              "</system>")),
            3);
}

TEST(NcclXml, BoardsOfCloudsHaveNvswitches) {
  std::string eight;
  for (int gpu = 0; gpu < 8; ++gpu) {
    eight += fmt::format("<pci busid=\"{}\" class=\"0x030200\"/>", gpu);
  }
  EXPECT_EQ(read_xml(system_of(eight), {"A100 SXM", ""}).nvswitch, BytesPerSecond{12 * 25e9});
  EXPECT_EQ(read_xml(system_of(eight), {"A100 PCIe", ""}).nvswitch, BytesPerSecond{0});
  EXPECT_EQ(read_xml(system_of(eight)).nvswitch, BytesPerSecond{0});
}

// As AWS's file of p5.48xlarge, whose gpu elements are empty: NCCL looks for NVLinks then.
TEST(NcclXml, ServersWithoutNvlinksAreRemarkedOn) {
  const auto eight = [](int sm) {
    std::string all;
    for (int gpu = 0; gpu < 8; ++gpu) {
      all += gpu_at(std::to_string(gpu), "", sm);
    }
    return system_of(all);
  };
  const HostHardware unknown = read_xml(eight(80));
  EXPECT_EQ(unknown.nvswitch, BytesPerSecond{0});
  EXPECT_THAT(all_remarks(unknown), HasSubstr("no nvlink elements, so NVLinks are unknown and left "
                                              "out (--gpu \"A100 SXM\" assumes"));
  EXPECT_EQ(read_xml(eight(90), {"H100 SXM", ""}).nvswitch, BytesPerSecond{18 * 25e9});
  EXPECT_EQ(all_remarks(read_xml(eight(0), {"MI250X", ""})), "");
}

}  // namespace
}  // namespace ringcast
