#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"
#include "topology/import/system_rates.hpp"

struct hwloc_obj;  // NOLINT(readability-identifier-naming): hwloc's own name

namespace ringcast::detail {

/// Replaces characters that are not printable ASCII by question marks.
[[nodiscard]] std::string printable(const char* text);
/// The printable value of one of an object's infos; empty if it has none of this name.
[[nodiscard]] std::string info_of(const hwloc_obj& object, const char* name);

/// Converts the objects below one of hwloc's host bridges to devices, with remarks about omissions.
class PciTree {
 public:
  /// `rates`: null for another machine, of which only hwloc's values are known.
  PciTree(const SystemRates* rates, std::vector<std::string>& remarks)
      : rates_{rates}, remarks_{remarks} {}

  /// The devices below a host bridge.
  [[nodiscard]] std::vector<HardwareDevice> below_host_bridge(const hwloc_obj& bridge) const;
  /// A PCI device without a bridge above; absent if it is neither a GPU nor a NIC.
  [[nodiscard]] std::optional<HardwareDevice> device_of(const hwloc_obj& device) const;

 private:
  void add_below(const hwloc_obj& bridge, bool bridges_are_ports,
                 std::vector<HardwareDevice>& devices) const;
  void add_bridge(const hwloc_obj& bridge, bool is_port,
                  std::vector<HardwareDevice>& devices) const;
  void add_device(const hwloc_obj& device, std::vector<HardwareDevice>& devices) const;
  [[nodiscard]] std::optional<HardwareDevice> gpu_of(const hwloc_obj& device) const;
  [[nodiscard]] std::optional<HardwareDevice> nic_of(const hwloc_obj& device) const;
  [[nodiscard]] BytesPerSecond link_of(const hwloc_obj& device) const;

  const SystemRates* rates_;
  std::vector<std::string>& remarks_;
};

/// "0000:04:00.0"
[[nodiscard]] std::string address_of(const hwloc_obj& pci_device);

}  // namespace ringcast::detail
