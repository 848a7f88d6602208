#pragma once

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// A host of an NVL72 with one GPU and two NICs.
inline HostHardware tray_of_gb200() {
  HardwareDevice gpu{VertexKind::gpu, "", "", "GB200", 450_GBps};
  gpu.link_class = "nvlink-c2c";
  const HardwareDevice first{VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}};
  const HardwareDevice second{VertexKind::nic, "", "mlx5_1", "", BytesPerSecond{0}};
  HostHardware tray;
  tray.nvswitch = 900_GBps;
  tray.sockets.push_back({"", "host-arm", 0, 0, Bytes{}, {{{gpu, first, second}}}});
  return tray;
}

}  // namespace ringcast
