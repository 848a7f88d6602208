#include "topology/import/host_hardware.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"

namespace ringcast {
namespace {

// Firmware reserves some memory, which differs between equal hosts.
constexpr double memory_tolerance = 0.05;

bool alike(Bytes a, Bytes b) {
  const auto [less, more] = std::minmax(a, b);
  return static_cast<double>(less.count()) >=
         (1 - memory_tolerance) * static_cast<double>(more.count());
}

template <typename Part>
bool all_alike(const std::vector<Part>& a, const std::vector<Part>& b) {
  return std::ranges::equal(
      a, b, [](const Part& one, const Part& other) { return ringcast::alike(one, other); });
}

/// The sort key of NICs, above their rate; choose_nics() keeps those with the largest.
auto suitability(const HardwareDevice& nic) {
  return std::tuple{!nic.down, nic.rdma, nic.infiniband};
}

/// Two NICs with less than half of the best one's rate carry less than that one alone.
bool is_unwanted(const HardwareDevice& nic, const HardwareDevice& best) {
  return suitability(nic) < suitability(best) || nic.port_rate < 0.5 * best.port_rate;
}

std::string address_and_name(const HardwareDevice& nic) {
  return nic.address + (nic.name.empty() ? "" : " " + nic.name);
}

std::string short_name(const HardwareDevice& nic) {
  return nic.name.empty() ? nic.address : nic.name;
}

std::string reason_against(const HardwareDevice& nic, const HardwareDevice& best) {
  if (nic.down) {
    return "it has no port that is up";
  }
  const bool is_slower = nic.rdma == best.rdma && nic.infiniband == best.infiniband;
  return fmt::format("{} is {}", short_name(best),
                     is_slower               ? "faster"
                     : best.rdma != nic.rdma ? "preferred, as it has RDMA"
                                             : "preferred, as it is InfiniBand");
}

void prune(std::vector<HardwareDevice>& devices) {
  for (HardwareDevice& device : devices) {
    prune(device.devices);
  }
  std::erase_if(devices, [](const HardwareDevice& device) {
    return device.kind == VertexKind::pcie_switch && device.devices.empty();
  });
}

template <typename Unwanted>
void erase_devices(std::vector<HardwareDevice>& devices, const Unwanted& unwanted) {
  for (HardwareDevice& device : devices) {
    erase_devices(device.devices, unwanted);
  }
  std::erase_if(devices, unwanted);
}

/// In a cluster file all GPUs have the same rate to the NVSwitches: the lowest is used for all. If
/// a GPU has no NVLinks, each pair of the others gets an equal share of their ports instead, which
/// rings use equally well.
void add_switched(std::map<int, BytesPerSecond> rates, HostHardware& host) {
  std::erase_if(rates, [](const auto& gpu) { return gpu.second <= BytesPerSecond{0}; });
  if (rates.empty()) {
    return;
  }
  const auto by_rate = [](const auto& gpu) { return gpu.second; };
  const auto [least, most] = std::ranges::minmax_element(rates, {}, by_rate);
  if (least->second < most->second) {
    host.remarks.push_back(
        fmt::format("GPU {} has {} of NVLinks to the switches, others up to {}; the least is taken",
                    least->first, to_text(least->second), to_text(most->second)));
  }
  const std::size_t joined = rates.size();
  if (joined == static_cast<std::size_t>(count_of(VertexKind::gpu, host))) {
    host.nvswitch = least->second;
    return;
  }
  for (auto one = rates.begin(); one != rates.end(); ++one) {
    for (auto other = std::next(one); other != rates.end(); ++other) {
      host.nvlinks.push_back(
          {one->first, other->first, 1 / static_cast<double>(joined - 1) * least->second});
    }
  }
  host.remarks.push_back(
      fmt::format("NVSwitches join {} of the GPUs only; each pair of these is taken to have an "
                  "equal share of their ports",
                  joined));
}

}  // namespace

void add_port_name(const std::string& name, HardwareDevice& nic) {
  if (!name.empty()) nic.name += (nic.name.empty() ? "" : ", ") + name;
}

std::string adapter_guid(std::string_view text) {
  text.remove_prefix(text.starts_with("0x") ? 2 : 0);
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits += lower_case(c);
    } else if (c != ':') {
      return "";
    }
  }
  constexpr std::size_t length = 16;
  if (digits.size() > length || digits.find_first_not_of('0') == std::string::npos) {
    return "";
  }
  return std::string(length - digits.size(), '0') + digits;
}

void number_hosts(std::vector<HostHardware>& hosts) {
  for (std::size_t i = 0; i < hosts.size() && hosts.size() > 1; ++i) {
    hosts[i].host += fmt::format("-{}", i);
  }
}

int count_of(VertexKind kind, const HostHardware& host) {
  int count = 0;
  for_each_device_of(host,
                     [&](const HardwareDevice& device) { count += device.kind == kind ? 1 : 0; });
  return count;
}

std::map<std::string, int> gpu_numbers(const HostHardware& host) {
  std::map<std::string, int> numbers;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind == VertexKind::gpu) {
      numbers.emplace(device.address, static_cast<int>(numbers.size()));
    }
  });
  return numbers;
}

void add_nvlinks(const NvlinkRates& rates, HostHardware& host) {
  for (const auto& [gpus, rate] : rates.between) {
    if (rate > BytesPerSecond{0}) {
      host.nvlinks.push_back({gpus.first, gpus.second, rate});
    }
  }
  add_switched(rates.to_switches, host);
}

bool has_whole_sockets(const HostHardware& host) {
  return host.sockets.size() <= 2 &&
         std::ranges::all_of(host.sockets,
                             [](const HardwareSocket& socket) { return socket.numa_nodes <= 1; });
}

bool alike(const HardwareDevice& a, const HardwareDevice& b) {
  const auto shape = [](const HardwareDevice& device) {
    return std::tie(device.kind, device.model, device.link, device.ports, device.port_rate,
                    device.infiniband, device.port_class, device.link_class);
  };
  return shape(a) == shape(b) && all_alike(a.devices, b.devices);
}

bool alike(const HardwareRoot& a, const HardwareRoot& b) {
  return all_alike(a.devices, b.devices);
}

bool alike(const HardwareSocket& a, const HardwareSocket& b) {
  return std::tie(a.cpu, a.cores, a.numa_nodes) == std::tie(b.cpu, b.cores, b.numa_nodes) &&
         alike(a.memory, b.memory) && all_alike(a.root_complexes, b.root_complexes);
}

bool alike(const HostHardware& a, const HostHardware& b) {
  const auto same_cable = [](const HardwareNvlink& one, const HardwareNvlink& other) {
    return std::tie(one.gpu_a, one.gpu_b, one.rate) ==
           std::tie(other.gpu_a, other.gpu_b, other.rate);
  };
  return all_alike(a.sockets, b.sockets) && a.nvswitch == b.nvswitch &&
         std::ranges::equal(a.nvlinks, b.nvlinks, same_cable);
}

double gigabits_of(BytesPerSecond rate) {
  return rate.value() * 8 / 1e9;
}

void choose_nics(HostHardware& host) {
  const auto key = [](const HardwareDevice& nic) {
    return std::pair{suitability(nic), nic.port_rate};
  };
  HardwareDevice best;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind == VertexKind::nic &&
        (best.kind != VertexKind::nic || key(device) > key(best))) {
      best = device;
    }
  });
  const auto unwanted = [&](const HardwareDevice& device) {
    return device.kind == VertexKind::nic && is_unwanted(device, best);
  };
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (unwanted(device)) {
      host.remarks.push_back(fmt::format("NIC {}: left out, {}", address_and_name(device),
                                         reason_against(device, best)));
    } else if (device.kind == VertexKind::nic && device.port_rate < best.port_rate) {
      host.remarks.push_back(fmt::format("NIC {}: {:g} Gb/s where {} has {:g} Gb/s",
                                         address_and_name(device), gigabits_of(device.port_rate),
                                         short_name(best), gigabits_of(best.port_rate)));
    }
  });
  for (HardwareSocket& socket : host.sockets) {
    for (HardwareRoot& root : socket.root_complexes) {
      erase_devices(root.devices, unwanted);
      prune(root.devices);
    }
    std::erase_if(socket.root_complexes,
                  [](const HardwareRoot& root) { return root.devices.empty(); });
  }
}

void add_assumed_nic(HostHardware& host) {
  HardwareDevice nic{VertexKind::nic, "", "", "no NIC was found"};
  for_each_device_of(host, [&](const HardwareDevice& device) {
    const bool is_on_pcie = device.kind == VertexKind::gpu && device.link_class.empty();
    if (is_on_pcie) nic.link = std::max(nic.link, device.link);
  });
  std::vector<HardwareRoot>& roots = host.sockets.front().root_complexes;
  if (roots.empty()) roots.emplace_back();
  roots.front().devices.push_back(std::move(nic));
  host.remarks.emplace_back("no NIC was found: one is taken to be at the first socket");
}

}  // namespace ringcast
