// The NVLinks and xGMI links of hwloc's matrices.
#include "topology/import/hwloc_nvlinks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/hwloc_xml.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A PCI device with hwloc's own number.
std::string device_xml(const std::string& address, const std::string& kind, int index,
                       const std::string& below = "") {
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{}\" pci_busid=\"{}\" pci_type=\"{} [0000:0000] a1\" "
      "pci_link_speed=\"15.753846\">{}</object>",
      index, address, kind, below);
}

/// A matrix of links between objects, as hwloc exports it.
std::string matrix_xml(const std::string& name, const std::string& objects, int count,
                       const std::string& values) {
  return fmt::format(
      "<distances2hetero nbobjs=\"{0}\" kind=\"25\" name=\"{5}\">"
      "<indexes length=\"{1}\">{2}</indexes><u64values length=\"{3}\">{4}"
      "</u64values></distances2hetero>\n",
      count, objects.size(), objects, values.size(), values, name);
}

HostHardware host_of(const std::string& io, const std::string& matrix) {
  return host_of_xml("red.xml", machine_xml({host_bridge_xml(io)}, matrix));
}

// Two GPUs and two NVSwitches (class 0680).
TEST(HwlocNvlinks, SumsThoseToAllSwitchesAndKeepsPairs) {
  const std::string gpu = "0302 [10de:1db8]";
  const std::string nvswitch = "0680 [10de:1ac2]";
  const std::string io =
      device_xml("0000:04:00.0", gpu, 904) + device_xml("0000:05:00.0", gpu, 905) +
      device_xml("0000:08:00.0", nvswitch, 908) + device_xml("0000:09:00.0", nvswitch, 909);

  const HostHardware pair = host_of(io, matrix_xml("NVLinkBandwidth", "PCIDev:904 PCIDev:905 ", 2,
                                                   "1000000 50000 50000 1000000 "));
  const HostHardware switched =
      host_of(io, matrix_xml("NVLinkBandwidth", "PCIDev:904 PCIDev:905 PCIDev:908 PCIDev:909 ", 4,
                             "1000000 0 25000 50000 0 1000000 25000 50000 "
                             "25000 25000 1000000 0 50000 50000 0 1000000 "));

  ASSERT_EQ(pair.nvlinks.size(), 1U);
  EXPECT_EQ(pair.nvlinks[0].gpu_a, 0);
  EXPECT_EQ(pair.nvlinks[0].gpu_b, 1);
  EXPECT_EQ(pair.nvlinks[0].rate, 50_GBps);
  EXPECT_EQ(pair.nvswitch, BytesPerSecond{0});
  EXPECT_TRUE(switched.nvlinks.empty());
  EXPECT_EQ(switched.nvswitch, 75_GBps);  // 25 + 50
}

// POWER9: the matrix has the package (gp_index 100 of machine_xml) as the end of NVLinks.
TEST(HwlocNvlinks, SaysThatThoseToProcessorsAreLeftOut) {
  const HostHardware host = host_of(
      device_xml("0000:04:00.0", "0302 [10de:1db8]", 904),
      matrix_xml("NVLinkBandwidth", "PCIDev:904 Package:100 ", 2, "1000000 75000 75000 1000000 "));
  EXPECT_TRUE(host.nvlinks.empty());
  EXPECT_THAT(host.remarks, Contains(HasSubstr("NVLinks between GPUs and processors are left")));
}

// ROCm SMI: adjacent GPUs have 100 GB/s in the matrix, whatever their links have: 64 GB/s.
TEST(HwlocNvlinks, XgmiHasTheRateOfTheModel) {
  const auto gpu = [](const std::string& address, int index, const std::string& model) {
    return device_xml(
        address, "1200 [1002:74a1]", index,
        fmt::format("<object type=\"OSDev\" gp_index=\"{}\" name=\"rsmi\" osdev_type=\"1\">{}"
                    "</object>",
                    index + 50, info_xml("GPUModel", model)));
  };
  const auto host_with = [&](const std::string& model, const ImportHints& hints = {}) {
    const std::string io = gpu("0000:04:00.0", 904, model) + gpu("0000:05:00.0", 905, model);
    const std::string matrix =
        matrix_xml("XGMIBandwidth", "OSDev:954 OSDev:955 ", 2, "1000000 100000 100000 1000000 ");
    return host_of_xml("red.xml", machine_xml({host_bridge_xml(io)}, matrix), hints);
  };
  for (const HostHardware& known :
       {host_with("AMD Instinct MI300X"), host_with("Device 74a1", {.gpu = "MI300X"})}) {
    ASSERT_EQ(known.nvlinks.size(), 1U);
    EXPECT_EQ(known.nvlinks[0].rate, 64_GBps);
    EXPECT_THAT(known.remarks, Contains(HasSubstr("how many xGMI links join two GPUs; one is")));
  }
  const HostHardware unknown = host_with("Device 74a1");
  EXPECT_EQ(count_of(VertexKind::gpu, unknown), 2);
  EXPECT_TRUE(unknown.nvlinks.empty());
  EXPECT_THAT(unknown.remarks, Contains(HasSubstr("xGMI links are left out: their rate is")));
}

}  // namespace
}  // namespace ringcast
