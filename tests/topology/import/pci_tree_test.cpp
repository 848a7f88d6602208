// What hwloc's PCI devices are, by their functions and ports.
#include "topology/import/pci_tree.hpp"

#include <gtest/gtest.h>

#include "tests/topology/import/hwloc_xml.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

std::vector<HardwareDevice> devices_of(const std::string& io) {
  return host_of_xml("red.xml", machine_xml({host_bridge_xml(io)}))
      .sockets.at(0)
      .root_complexes.at(0)
      .devices;
}

/// A NIC as ConnectX-3: one function with two ports.
std::string two_ports_xml(const std::string& first, const std::string& second) {
  return pci_xml("0000:04:00.0", "0207", "15b3", 7.876923,
                 system_device_xml("mlx4_0", 3,
                                   info_xml("Port1State", first) + info_xml("Port2State", second)));
}

std::string function_xml(const std::string& address, const std::string& model) {
  return pci_xml(address, "0207", "15b3", 15.753846,
                 info_xml("PCIDevice", model) + system_device_xml("mlx5_" + address.substr(11), 3));
}

TEST(PciTree, ANicIsUpIfAnyOfItsPortsIs) {
  const std::string other = infiniband_xml("0000:05:00.0", "mlx5_0");

  const auto second_up = devices_of(two_ports_xml("1", "4") + other);
  const auto both_up = devices_of(two_ports_xml("4", "4") + other);
  const auto both_down = devices_of(two_ports_xml("1", "1") + other);

  ASSERT_EQ(second_up.size(), 2U);
  EXPECT_EQ(second_up[0].ports, 1);
  ASSERT_EQ(both_up.size(), 2U);
  EXPECT_EQ(both_up[0].ports, 2);
  ASSERT_EQ(both_down.size(), 1U);
  EXPECT_EQ(both_down[0].name, "mlx5_0");
}

TEST(PciTree, ANicHasTheNamesOfAllItsPorts) {
  const auto nic = devices_of(function_xml("0000:3b:00.0", "") + function_xml("0000:3b:00.1", ""));

  ASSERT_EQ(nic.size(), 1U);
  EXPECT_EQ(nic[0].name, "mlx5_0, mlx5_1");
}

TEST(PciTree, VirtualFunctionsAreNicsOfVirtualMachinesOnly) {
  const std::string two_virtual =
      function_xml("0000:3b:00.2", "MT27800 Family [ConnectX-5 Virtual Function]") +
      function_xml("0000:3b:01.0", "MT27800 Family [ConnectX-5 Virtual Function]");

  const auto host =
      devices_of(function_xml("0000:3b:00.0", "MT27800 Family [ConnectX-5]") + two_virtual);
  const auto guest = devices_of(two_virtual);

  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(host[0].ports, 1);
  EXPECT_EQ(guest.size(), 2U);
}

}  // namespace
}  // namespace ringcast
