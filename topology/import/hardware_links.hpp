#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// A cable for a cluster file, by the table of link classes.
struct LinkChoice {
  std::string link_class;       // empty: no standard cable
  BytesPerSecond bandwidth{0};  // overrides the class's; zero: the class's
  std::string why;              // for people: "15.75 GB/s", "EPYC"
  bool assumed = false;         // unknown to the tool; a person should check
};

/// Classifies a PCIe link by its rate after line coding, as hwloc gives it: lanes x 0.25, 0.5,
/// 0.985, ... GB/s. A link without a class (x1, x2) gets a fraction of a class's bandwidth. `tool`
/// reported the rate, or did not: for messages, here and below.
[[nodiscard]] LinkChoice pcie_link(BytesPerSecond rate, std::string_view tool = "hwloc");
/// The link of a device to what is above: PCIe, or its own class at this rate.
[[nodiscard]] LinkChoice device_link(const HardwareDevice& device, std::string_view tool);
/// True for the rate of PCIe 1.0 with 8 or 16 lanes.
[[nodiscard]] bool runs_as_pcie_1(BytesPerSecond rate);
/// A GPU whose PCIe link has less than a quarter of what its model's has.
[[nodiscard]] bool is_far_below_its_model(const HardwareDevice& gpu);

/// Classifies the cable between a network card and its switch by the rate of a port; if that is
/// unknown, the fastest class that the card's PCIe link can feed.
[[nodiscard]] LinkChoice network_link(const HardwareDevice& card);

/// The cable of an InfiniBand link by its width and speed, "4xNDR"; assumed if empty or unknown.
[[nodiscard]] LinkChoice infiniband_link(const std::string& rate);
/// The rate of the slowest PCIe link of 16 lanes that feeds a port of this class.
[[nodiscard]] BytesPerSecond pcie_rate_for(std::string_view link_class);

/// The number and generation of the NVLinks that make up `rate`, by the model of the GPU.
struct NvlinkChoice {
  LinkChoice link;
  int links = 1;
};
[[nodiscard]] NvlinkChoice nvlink(BytesPerSecond rate, const std::string& gpu_model,
                                  std::string_view tool = "hwloc");

/// A CPU as its system describes it; any field may be empty.
struct CpuNames {
  std::string vendor;        // GenuineIntel
  std::string family;        // decimal
  std::string model;         // decimal
  std::string name;          // Intel(R) Xeon(R) ...
  std::string architecture;  // x86_64
};
/// The class of the link between the sockets of such CPUs; empty if NCCL has no figure.
[[nodiscard]] std::string socket_link_class(const CpuNames& cpu);
/// The same as a cable, with an assumption if the class is empty.
[[nodiscard]] LinkChoice socket_link(const HardwareSocket& socket, std::string_view tool = "hwloc");

/// The copy rate of one core, as a cable.
[[nodiscard]] LinkChoice process_link();

}  // namespace ringcast
