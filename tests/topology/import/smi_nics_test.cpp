// The NICs in a matrix of nvidia-smi.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "topology/import/nvidia_smi_reader.hpp"

namespace ringcast {
namespace {

// The driver bonds ports of Ethernet only (mlx5_bond_0).
TEST(SmiNics, AreOfEthernetWhereBonded) {
  const std::string matrix =
      "GPU0 NIC0 NIC1\nGPU0 X PIX PXB\nNIC0 PIX X PXB\nNIC1 PXB PXB X\nNIC0: mlx5_bond_0\n";

  const HostHardware bonds =
      host_of_nvidia_smi("m", lines_of_text(matrix + "NIC1: mlx5_bond_1\n"), {});
  const HostHardware both = host_of_nvidia_smi("m", lines_of_text(matrix + "NIC1: mlx5_1\n"), {});

  int ethernet = 0;
  for_each_device_of(bonds, [&](const HardwareDevice& device) {
    ethernet += device.kind == VertexKind::nic && !device.infiniband ? 1 : 0;
  });
  EXPECT_EQ(ethernet, 2);
  EXPECT_EQ(count_of(VertexKind::nic, both), 1);
  EXPECT_THAT(both.remarks,
              testing::Contains(
                  "NIC NIC0 mlx5_bond_0: left out, mlx5_1 is preferred, as it is InfiniBand"));
}

TEST(SmiNics, OfTwoPortsHaveBothNames) {
  const HostHardware host = host_of_nvidia_smi(
      "m",
      lines_of_text("GPU0 NIC0 NIC1\nGPU0 X PHB PHB\nNIC0 PHB X PIX\nNIC1 PHB PIX X\n"
                    "NIC0: mlx5_0\nNIC1: mlx5_1\n"),
      {});

  EXPECT_EQ(host.sockets.at(0).root_complexes.at(0).devices.at(1).name, "mlx5_0, mlx5_1");
}

}  // namespace
}  // namespace ringcast
