#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// A cable for a cluster file, by the table of link classes.
struct LinkChoice {
  std::string link_class;       // empty: no cable one can buy
  BytesPerSecond bandwidth{0};  // in place of the class's; zero: the class's
  std::string why;              // for people: "15.75 GB/s", "EPYC"
  bool assumed = false;         // hwloc does not know; a person should look
};

/// Of a PCIe link by its rate after line coding, as hwloc counts it: lanes x 0.25, 0.5, 0.985, ...
/// GB/s. What is no class of the table (x1, x2) becomes a part of one.
[[nodiscard]] LinkChoice pcie_link(BytesPerSecond rate);
/// PCIe 1.0 with 8 or 16 lanes.
[[nodiscard]] bool runs_as_pcie_1(BytesPerSecond rate);

/// Between a network card and its switch, by the rate of a port; where that is unknown, the fastest
/// that the card's PCIe link can feed.
[[nodiscard]] LinkChoice network_link(const HardwareDevice& card);

/// How many NVLinks of which generation make up `rate`, by the model of the GPU.
struct NvlinkChoice {
  LinkChoice link;
  int links = 1;
};
[[nodiscard]] NvlinkChoice nvlink(BytesPerSecond rate, const std::string& gpu_model);

/// What a system says of a CPU; any of it may be empty.
struct CpuNames {
  std::string vendor;        // GenuineIntel
  std::string family;        // decimal
  std::string model;         // decimal
  std::string name;          // Intel(R) Xeon(R) ...
  std::string architecture;  // x86_64
};
/// The class of what joins the sockets of such CPUs; empty where NCCL has no figure.
[[nodiscard]] std::string socket_link_class(const CpuNames& cpu);
/// The same as a cable, with an assumption for what is empty.
[[nodiscard]] LinkChoice socket_link(const HardwareSocket& socket);

/// What one core copies.
[[nodiscard]] LinkChoice process_link();

}  // namespace ringcast
