#pragma once

#include <string>
#include <string_view>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

struct LinkClass;

/// The class of the table that has this name; ContractViolation if there is none.
[[nodiscard]] const LinkClass& link_class_named(std::string_view name);

/// A cable for a cluster file, by the table of link classes.
struct LinkChoice {
  std::string link_class;       // empty: no standard cable
  BytesPerSecond bandwidth{0};  // overrides the class's; zero: the class's
  std::string why;              // for messages: "15.75 GB/s", "EPYC"
  bool assumed = false;         // not reported by the tool; the user should check it
  bool is_trunk = false;        // of many cables: the limits of a single NIC do not hold
};

/// The limit of kernel_limit() for such a link of this bandwidth; none for a trunk.
[[nodiscard]] BytesPerSecond kernel_limit_of(const LinkChoice& choice, BytesPerSecond bandwidth);

/// Classifies a PCIe link by its rate after line coding, as in hwloc: lanes x 0.25, 0.5, 0.985, ...
/// GB/s. A link without a class (x1, x2) gets a fraction of a class's bandwidth. `tool`: here and
/// below, the source of the data, for messages.
[[nodiscard]] LinkChoice pcie_link(BytesPerSecond rate, std::string_view tool = "hwloc");
/// The link of a device to its parent: PCIe, or the device's link_class at this rate.
[[nodiscard]] LinkChoice device_link(const HardwareDevice& device, std::string_view tool);
/// True for the rate of PCIe 1.0 with 8 or 16 lanes.
[[nodiscard]] bool runs_as_pcie_1(BytesPerSecond rate);
/// Whether the rate of a GPU's PCIe link is less than a quarter of its model's.
[[nodiscard]] bool is_far_below_its_model(const HardwareDevice& gpu);

/// Classifies the cable between a NIC and its switch by the rate of a port; if that is
/// unknown, the fastest class that the NIC's PCIe link can feed.
[[nodiscard]] LinkChoice network_link(const HardwareDevice& nic);

/// The cable of an InfiniBand link by its width and speed, "4xNDR"; assumed if empty or unknown.
[[nodiscard]] LinkChoice infiniband_link(const std::string& rate);
/// The rate of the slowest PCIe link of 16 lanes that feeds a port of this class.
[[nodiscard]] BytesPerSecond pcie_rate_for(std::string_view link_class);

/// The number and class of the NVLinks with the total rate `rate`, by the model of the GPU.
struct NvlinkChoice {
  LinkChoice link;
  int links = 1;
};
[[nodiscard]] NvlinkChoice nvlink(BytesPerSecond rate, const std::string& gpu_model,
                                  std::string_view tool = "hwloc");

/// A CPU as the operating system describes it; any field may be empty.
struct CpuNames {
  std::string vendor;        // GenuineIntel
  std::string family;        // decimal
  std::string model;         // decimal
  std::string name;          // Intel(R) Xeon(R) ...
  std::string architecture;  // x86_64
};
/// The class of the link between two EPYC of a generation, which is the last digit of the model:
/// 4 of `EPYC 9654`. Empty if it is unknown.
[[nodiscard]] std::string_view epyc_class(int generation);
/// The class of the link between sockets with this CPU; empty if NCCL has no bandwidth for it.
[[nodiscard]] std::string socket_link_class(const CpuNames& cpu);
/// The cable between sockets; assumed if the first socket has no link_class.
[[nodiscard]] LinkChoice socket_link(const HostHardware& host);

/// The cable of a process, which has the copy rate of one core.
[[nodiscard]] LinkChoice process_link();

}  // namespace ringcast
