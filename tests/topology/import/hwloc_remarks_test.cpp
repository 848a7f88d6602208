// What the reader of hwloc says about doubtful hardware.
#include <gtest/gtest.h>

#include "tests/topology/import/hwloc_xml.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

HostHardware host_with(const std::vector<std::string>& io) {
  return host_of_xml("red.xml", machine_xml(io));
}

TEST(HwlocRemarks, RemarksOnGpusThatIdle) {
  const HostHardware host = host_with({host_bridge_xml(gpu_xml("0000:04:00.0", 4.0))});

  ASSERT_EQ(host.remarks.size(), 1U);
  EXPECT_EQ(host.remarks[0],
            "GPU 0000:04:00.0: its link runs as PCIe 1.0, to which idle GPUs lower it; look again "
            "under load");
}

// A V100 has 15.75 GB/s: two lanes are an eighth of that, four a quarter.
TEST(HwlocRemarks, RemarksOnGpusWithFarFewerLanesThanTheirModel) {
  const HostHardware host = host_with(
      {host_bridge_xml(gpu_xml("0000:04:00.0", 1.969231) + gpu_xml("0000:05:00.0", 1.969231) +
                       gpu_xml("0000:06:00.0", 3.938))});

  ASSERT_FALSE(host.remarks.empty());
  EXPECT_EQ(host.remarks[0],
            "GPU 0000:04:00.0 and 1 other: its link runs at 1.969 GB/s, but the model has "
            "pcie-3.0-x16; idle GPUs lower it, or the slot has fewer lanes; look again under load");
}

TEST(HwlocRemarks, RemarksOnARootComplexOfNoSocket) {
  const std::string xml = machine_xml({"", ""});
  const std::size_t end = xml.rfind("</object>");

  const HostHardware host = host_of_xml(
      "red.xml", xml.substr(0, end) + host_bridge_xml(gpu_xml("0000:04:00.0")) + xml.substr(end));

  EXPECT_EQ(host.sockets[0].root_complexes.size(), 1U);
  ASSERT_EQ(host.remarks.size(), 1U);
  EXPECT_EQ(host.remarks[0],
            "root complex of 0000:04:00.0: hwloc does not know the socket, the first is taken");
}

}  // namespace
}  // namespace ringcast
