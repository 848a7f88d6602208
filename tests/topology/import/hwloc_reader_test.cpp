#include "topology/import/hwloc_reader.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "tests/refusal.hpp"
#include "tests/topology/import/hwloc_xml.hpp"

namespace ringcast {
namespace {

HostHardware host_of(const std::vector<std::string>& io, const std::string& after = "") {
  return host_of_xml("red.xml", machine_xml(io, after));
}

std::string message_of_xml(const std::string& xml) {
  return refusal_of([&] { return host_of_xml("red.xml", xml); });
}

TEST(HwlocReader, FindsSocketsCoresAndMemory) {
  const HostHardware host = host_of({"", ""});

  EXPECT_EQ(host.host, "red-01");
  EXPECT_EQ(host.source, "hwloc 2.9.0");
  ASSERT_EQ(host.sockets.size(), 2U);
  EXPECT_EQ(host.sockets[1].cpu, "Xeon");
  EXPECT_EQ(host.sockets[1].cores, 2);
  EXPECT_EQ(host.sockets[1].numa_nodes, 1);
  EXPECT_EQ(host.sockets[1].memory, 32_GiB);
  // Intel's family 6, model 85 = 0x55: the first that NCCL takes for a Skylake.
  EXPECT_EQ(host.sockets[1].link_class, "host-intel-skylake");
  EXPECT_TRUE(host.sockets[0].root_complexes.empty());
}

TEST(HwlocReader, NamesNoVersionWhereTheFileHasNone) {
  std::string xml = machine_xml({""});
  xml.replace(xml.find("hwlocVersion"), 12, "someVersion");

  EXPECT_EQ(host_of_xml("red.xml", xml).source, "hwloc");
}

// Root port, upper end, ports, GPUs: one switch.
TEST(HwlocReader, TellsSwitchesFromRootPorts) {
  const std::string two_gpus = port_xml("0000:03:00.0", 15.75, gpu_xml("0000:04:00.0")) +
                               port_xml("0000:03:01.0", 15.75, gpu_xml("0000:05:00.0"));
  const HostHardware host = host_of({host_bridge_xml(
      port_xml("0000:00:01.0", 15.753846, port_xml("0000:02:00.0", 7.876923, two_gpus)) +
      port_xml("0000:00:02.0", 0, gpu_xml("0000:06:00.0", 0)))});

  ASSERT_EQ(host.sockets[0].root_complexes.size(), 1U);
  const auto& devices = host.sockets[0].root_complexes[0].devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].kind, VertexKind::pcie_switch);
  // The faster of the two ends' words.
  EXPECT_NEAR(devices[0].link.value(), 15.753846e9, 1e3);
  ASSERT_EQ(devices[0].devices.size(), 2U);
  EXPECT_EQ(devices[0].devices[1].address, "0000:05:00.0");
  EXPECT_EQ(devices[0].devices[1].model, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(devices[1].kind, VertexKind::gpu);
  EXPECT_EQ(devices[1].link, BytesPerSecond{0});
}

// A virtual machine hides the root port: what is below the host bridge has two ports.
TEST(HwlocReader, FindsASwitchWithoutARootPort) {
  const HostHardware host = host_of(
      {host_bridge_xml(port_xml("0000:02:00.0", 0,
                                port_xml("0000:03:00.0", 0, gpu_xml("0000:04:00.0")) +
                                    port_xml("0000:03:01.0", 0, gpu_xml("0000:05:00.0"))))});

  ASSERT_EQ(host.sockets[0].root_complexes[0].devices.size(), 1U);
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[0].kind, VertexKind::pcie_switch);
  EXPECT_EQ(count_of(VertexKind::gpu, host), 2);
}

TEST(HwlocReader, LeavesOutConsolesAndSlowerNics) {
  const HostHardware host = host_of({host_bridge_xml(
      pci_xml("0000:01:00.0", "0300", "1a03", 0) + ethernet_xml("0000:02:00.0", "eth0") +
      infiniband_xml("0000:03:00.0", "mlx5_0") + infiniband_xml("0000:04:00.0", "mlx5_1", "1"))});

  const auto& devices = host.sockets[0].root_complexes[0].devices;
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, "mlx5_0");
  EXPECT_TRUE(devices[0].infiniband);
  EXPECT_EQ(host.remarks,
            (std::vector<std::string>{
                "display adapter 0000:01:00.0: left out, nothing says that it computes",
                "NIC 0000:02:00.0 eth0: left out, mlx5_0 is preferred, as it has RDMA",
                "NIC 0000:04:00.0 mlx5_1: left out, it has no port that is up"}));
}

TEST(HwlocReader, CountsTheFunctionsOfANicAsItsPorts) {
  const HostHardware host = host_of({host_bridge_xml(infiniband_xml("0000:03:00.0", "mlx5_0") +
                                                     infiniband_xml("0000:03:00.1", "mlx5_1"))});

  ASSERT_EQ(count_of(VertexKind::nic, host), 1);
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[0].ports, 2);
}

TEST(HwlocReader, SaysWhatIsNoTopology) {
  const std::string unread =
      "red.xml: no topology that hwloc 2.9.0 can read (expected what lstopo --of xml printed, "
      "whole and unchanged)";
  const std::string whole = machine_xml({""});
  const std::string half = message_of_xml(whole.substr(0, whole.size() / 2));

  EXPECT_EQ(message_of_xml("<topology version=\"2.0\"></topology>"), unread);
  EXPECT_EQ(message_of_xml("<topology version=\"3.0\"></topology>"), unread);
  EXPECT_EQ(message_of_xml("Machine (4 GB)\n"),
            "red.xml:2: no XML: No document element found (expected what lstopo --of xml printed, "
            "whole and unchanged)");
  EXPECT_TRUE(message_of_xml("").starts_with("red.xml:1: no XML: "));
  EXPECT_TRUE(half.starts_with("red.xml:6: no XML: ")) << half;
  EXPECT_EQ(message_of_xml("\n<system/>"),
            "red.xml:2: the element system (expected topology: what lstopo --of xml printed)");
  EXPECT_EQ(message_of_xml("<topology version=\"4.0\"></topology>"),
            "red.xml:1: hwloc's XML of version 4.0 (expected 3 at most: lstopo --of xml "
            "--export-xml-flags v2)");
}

// Version 3 has masks of the roles of devices (12: GPU and co-processor, 48: network and
// OpenFabrics, 64: DMA), and the host's name beside the machine instead of below it.
TEST(HwlocReader, ReadsVersion3) {
  const auto device = [](const std::string& address, const std::string& pci_class,
                         const std::string& vendor, const std::string& name, int roles) {
    return pci_xml(address, pci_class, vendor, 15.753846, system_device_xml(name, roles));
  };
  std::string xml = machine_xml(
      {host_bridge_xml(device("0000:04:00.0", "0302", "10de", "nvml0", 12) +
                       device("0000:05:00.0", "0200", "15b3", "mlx5_0", 48) +
                       device("0000:06:00.0", "0200", "8086", "eth0", 16) +
                       device("0000:07:00.0", "0880", "8086", "dma0chan0", 64))},
      info_xml("HostName", "blue-01") +
          "<pci_locality domain=\"0x0\" bus_min=\"0x0\" bus_max=\"0x5\" cpuset=\"0x3\"/>");
  xml.replace(xml.find("version=\"2.0\""), 13, "version=\"3.0\"");
  xml.erase(xml.find(info_xml("HostName", "red-01")), info_xml("HostName", "red-01").size());

  const HostHardware host = host_of_xml("blue.xml", xml);

  EXPECT_EQ(host.host, "blue-01");
  const auto& devices = host.sockets.at(0).root_complexes.at(0).devices;
  ASSERT_EQ(devices.size(), 2U);  // eth0 is left out, as mlx5_0 has RDMA
  EXPECT_EQ(devices[0].kind, VertexKind::gpu);
  EXPECT_EQ(devices[0].name, "nvml0");
  EXPECT_EQ(devices[1].name, "mlx5_0");
  EXPECT_TRUE(devices[1].rdma);
}

TEST(HwlocReader, SeesThisMachine) {
#ifdef __SANITIZE_ADDRESS__
  // libpciaccess, which a plugin of hwloc uses, keeps what it found.
  const __lsan::ScopedDisabler disabler;
#endif
  const HostHardware host = this_host();

  ASSERT_FALSE(host.sockets.empty());
  EXPECT_GE(host.sockets[0].cores, 1);
  EXPECT_FALSE(host.host.empty());
}

// hwloc 2.9 crashes on a PU without complete_cpuset; another version may read it.
TEST(HwlocReader, SurvivesInputThatCrashesHwloc) {
  std::string xml = machine_xml({""});
  const std::size_t begin = xml.find(" complete_cpuset", xml.find("\"PU\""));
  xml.erase(begin, xml.find(' ', begin + 1) - begin);

  const std::string message = message_of_xml(xml);

  EXPECT_TRUE(message == "nothing was refused" || message.starts_with("red.xml: ")) << message;
}

TEST(HwlocReader, RefusesNumbersThatAreNoEnumerators) {
  std::string xml = machine_xml({host_bridge_xml(gpu_xml("0000:01:00.0"))});
  std::string bridge = xml;
  bridge.replace(bridge.find("\"0-1\""), 5, "\"2-1\"");
  EXPECT_NE(message_of_xml(bridge).find("bridge_type \"2-1\" (expected 0-1 or 1-1)"),
            std::string::npos);
  xml.replace(xml.find("osdev_type=\"5\""), 14, "osdev_type=\"9\"");
  EXPECT_NE(message_of_xml(xml).find("osdev_type \"9\" (expected 0 to 6)"), std::string::npos);
}

// hwloc would take 512 MiB for a set with the bit 4294967295, which an index that is not there is.
TEST(HwlocReader, RefusesIndicesThatNoMachineHas) {
  std::string xml = machine_xml({""});
  const std::size_t index = xml.find(" os_index=\"", xml.find("\"NUMANode\""));
  std::string missing = xml;
  missing.erase(index, missing.find(' ', index + 1) - index);
  EXPECT_NE(message_of_xml(missing).find("NUMANode with os_index \"\" (expected 0 to 65535)"),
            std::string::npos);
  xml.replace(xml.find(" os_index=\"0\"", xml.find("\"PU\"")), 13, " os_index=\"65536\"");
  EXPECT_NE(message_of_xml(xml).find("PU with os_index \"65536\" (expected 0 to 65535)"),
            std::string::npos);
}

struct RealMachine {
  const char* file;
  std::size_t sockets;
  int gpus;
  int nics;
};
class RealMachines : public ::testing::TestWithParam<RealMachine> {};

// Counted by hand in the XML of the collection; where that is not there, there is nothing to read.
TEST_P(RealMachines, AreReadAsPeopleDo) {
  const std::filesystem::path file = std::filesystem::path{RINGCAST_SOURCE_DIR} /
                                     "../shared/data/topologies/hwloc" / GetParam().file;
  std::ifstream stream{file};
  if (!stream) {
    GTEST_SKIP() << file << " is not here";
  }
  const std::string xml{std::istreambuf_iterator<char>{stream}, {}};

  const HostHardware host = host_of_xml(file, xml);

  EXPECT_EQ(host.sockets.size(), GetParam().sockets);
  EXPECT_EQ(count_of(VertexKind::gpu, host), GetParam().gpus);
  EXPECT_EQ(count_of(VertexKind::nic, host), GetParam().nics);
}

std::string name_of_machine(const ::testing::TestParamInfo<RealMachine>& machine) {
  std::string name = machine.param.file;
  std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(HwlocReader, RealMachines,
                         ::testing::Values(RealMachine{"flux-lassen-0.xml", 2, 4, 2},
                                           RealMachine{"mpibind-cts1-pascal.xml", 2, 2, 1},
                                           RealMachine{"mpibind-g4dnmetal.xml", 2, 8, 1}),
                         name_of_machine);

}  // namespace
}  // namespace ringcast
