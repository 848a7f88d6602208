#pragma once

#include <filesystem>
#include <string>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// Rates of this machine's devices from Linux's sysfs, which hwloc does not report. Zero: unknown.
class SystemRates {
 public:
  explicit SystemRates(std::filesystem::path sys = "/sys") : sys_{std::move(sys)} {}

  /// The maximum rate of a PCI device's link, one direction, after line coding as in hwloc. The
  /// current rate of an idle device may be lower.
  [[nodiscard]] BytesPerSecond pcie_link(const std::string& address) const;
  /// The nominal rate of a network interface (eth0): 100 Gb/s.
  [[nodiscard]] BytesPerSecond interface_rate(const std::string& name) const;
  [[nodiscard]] bool interface_down(const std::string& name) const;
  /// The nominal rate of the fastest port of an RDMA device (mlx5_0).
  [[nodiscard]] BytesPerSecond rdma_rate(const std::string& name) const;
  /// True for a virtual function of a NIC (SR-IOV).
  [[nodiscard]] bool is_virtual_function(const std::string& address) const;

 private:
  [[nodiscard]] std::string first_line(const std::filesystem::path& file) const;

  std::filesystem::path sys_;
};

}  // namespace ringcast
