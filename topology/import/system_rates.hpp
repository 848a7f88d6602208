#pragma once

#include <filesystem>
#include <string>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// What Linux says of this machine's devices and hwloc does not. Zero where it does not know.
class SystemRates {
 public:
  explicit SystemRates(std::filesystem::path sys = "/sys") : sys_{std::move(sys)} {}

  /// The fastest that a PCI device's link can be, one way after line coding, as hwloc counts: an
  /// idle device runs it slower.
  [[nodiscard]] BytesPerSecond pcie_link(const std::string& address) const;
  /// Of a network interface (eth0), as sold: 100 Gb/s.
  [[nodiscard]] BytesPerSecond interface_rate(const std::string& name) const;
  [[nodiscard]] bool interface_down(const std::string& name) const;
  /// Of the fastest port of an RDMA device (mlx5_0), as sold.
  [[nodiscard]] BytesPerSecond rdma_rate(const std::string& name) const;
  /// One of the many guises of a card that virtual machines are given.
  [[nodiscard]] bool is_virtual_function(const std::string& address) const;

 private:
  [[nodiscard]] std::string first_line(const std::filesystem::path& file) const;

  std::filesystem::path sys_;
};

}  // namespace ringcast
