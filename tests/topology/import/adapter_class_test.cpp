#include "topology/import/adapter_class.hpp"

#include <gtest/gtest.h>

#include "tests/topology/import/nccl_xml.hpp"

namespace ringcast {
namespace {

TEST(AdapterClass, IsThatOfAFabric) {
  EXPECT_EQ(detail::adapter_class(0x1d0f, 0xefa1), "efa-100g");
  EXPECT_EQ(detail::adapter_class(0x1d0f, 0xefa2), "efa-200g");
  EXPECT_EQ(detail::adapter_class(0x17db, 0x0501), "slingshot-11");
  EXPECT_EQ(detail::adapter_class(0x8086, 0x24f0), "omni-path-100");
  EXPECT_EQ(detail::adapter_class(0x1d0f, 0xec20), "");  // ENA
  EXPECT_EQ(detail::adapter_class(0x15b3, 0x1021), "");
}

// As on p4d: four EFA beside the ENA of the same vendor.
TEST(AdapterClass, OfEfaIsPreferredToEthernet) {
  const HostHardware host =
      read_xml(system_of(gpu_at("a") +
                         "<pci busid=\"c\" class=\"0x020000\" vendor=\"0x1d0f\" device=\"0xefa0\"/>"
                         "<pci busid=\"d\" class=\"0x020000\" vendor=\"0x1d0f\" device=\"0xec20\">"
                         "<nic><net name=\"eth0\" speed=\"100000\"/></nic></pci>"));

  ASSERT_EQ(count_of(VertexKind::nic, host), 1);
  EXPECT_EQ(host.sockets[0].root_complexes.at(1).devices.at(0).port_class, "efa-100g");
}

}  // namespace
}  // namespace ringcast
