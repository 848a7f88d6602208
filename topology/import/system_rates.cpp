#include "topology/import/system_rates.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace ringcast {
namespace {

namespace fs = std::filesystem;

/// The number at the front of a text; 0 if there is none, or a negative one (the kernel prints -1
/// for unknown).
double leading_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::max(value, 0.0) : 0.0;
}

/// Bytes per second and lane for a line rate in GT/s: PCIe 1 and 2 use 8b/10b coding, later
/// generations 128b/130b (for the flits of 6.0, too, as in hwloc).
double per_lane(double gigatransfers) {
  return gigatransfers * 1e9 / 8 * (gigatransfers <= 5 ? 8.0 / 10 : 128.0 / 130);
}

}  // namespace

std::string SystemRates::first_line(const fs::path& file) const {
  std::ifstream stream{sys_ / file};
  std::string line;
  std::getline(stream, line);  // fails for an interface that is down
  return line;
}

BytesPerSecond SystemRates::pcie_link(const std::string& address) const {
  const fs::path device = fs::path{"bus/pci/devices"} / address;
  // "16.0 GT/s PCIe" and "16"; devices of conventional PCI have "Unknown" and 255 or 0.
  const double speed = leading_number(first_line(device / "max_link_speed"));
  const double lanes = leading_number(first_line(device / "max_link_width"));
  return BytesPerSecond{lanes > 32 ? 0.0 : lanes * per_lane(speed)};
}

BytesPerSecond SystemRates::interface_rate(const std::string& name) const {
  const double megabits = leading_number(first_line(fs::path{"class/net"} / name / "speed"));
  return BytesPerSecond{megabits * 1e6 / 8};
}

bool SystemRates::interface_down(const std::string& name) const {
  return first_line(fs::path{"class/net"} / name / "operstate") == "down";
}

BytesPerSecond SystemRates::rdma_rate(const std::string& name) const {
  const fs::path ports = fs::path{"class/infiniband"} / name / "ports";
  double fastest = 0;
  std::error_code none;
  // Without exceptions: a driver that unloads removes its folders meanwhile.
  for (fs::directory_iterator port{sys_ / ports, none}, end; port != end; port.increment(none)) {
    // "100 Gb/sec (4X EDR)"
    fastest =
        std::max(fastest, leading_number(first_line(ports / port->path().filename() / "rate")));
  }
  return BytesPerSecond{fastest * 1e9 / 8};
}

bool SystemRates::is_virtual_function(const std::string& address) const {
  std::error_code none;
  return fs::exists(sys_ / "bus/pci/devices" / address / "physfn", none);
}

}  // namespace ringcast
