#include "topology/import/node_types.hpp"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "engine/numbers/ascii.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/import/host_list.hpp"

namespace ringcast {
namespace {

std::string slowest_link(const HostHardware& host) {
  BytesPerSecond slowest{0};
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (slowest == BytesPerSecond{0} || device.link < slowest) {
      slowest = device.link;
    }
  });
  return slowest == BytesPerSecond{0} ? "unknown-pcie" : pcie_link(slowest).link_class;
}

std::string network_of(const HostHardware& host) {
  std::string network = "no-network";
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind == VertexKind::nic) {
      network = network_link(device).link_class;
    }
  });
  return network;
}

int cores_of(const HostHardware& host) {
  int cores = 0;
  for (const HardwareSocket& socket : host.sockets) {
    cores += socket.cores;
  }
  return cores;
}

Bytes memory_of(const HostHardware& host) {
  Bytes memory;
  for (const HardwareSocket& socket : host.sockets) {
    memory += socket.memory;
  }
  return memory;
}

/// Properties that may distinguish types, as parts of names, the most significant first.
std::vector<std::string> aspects_of(const HostHardware& host) {
  return {fmt::format("{}gpu", count_of(VertexKind::gpu, host)),
          fmt::format("{}nic", count_of(VertexKind::nic, host)),
          network_of(host),
          fmt::format("{}socket", host.sockets.size()),
          fmt::format("{}core", cores_of(host)),
          slowest_link(host),
          fmt::format("{}GiB", memory_of(host).count() >> 30U)};
}

bool all_differ(const std::vector<DiscoveredType>& types) {
  std::set<std::string> names;
  for (const DiscoveredType& type : types) {
    names.insert(type.name);
  }
  return names.size() == types.size();
}

void name_types(std::vector<DiscoveredType>& types) {
  std::vector<std::vector<std::string>> aspects;
  aspects.reserve(types.size());
  for (DiscoveredType& type : types) {
    type.name = "node";
    aspects.push_back(aspects_of(type.hardware));
  }
  for (std::size_t a = 0; !all_differ(types) && a < aspects.front().size(); ++a) {
    if (std::ranges::all_of(aspects, [&](const auto& of) { return of[a] == aspects[0][a]; })) {
      continue;
    }
    for (std::size_t t = 0; t < types.size(); ++t) {
      types[t].name += "-" + aspects[t][a];
    }
  }
  if (!all_differ(types)) {
    for (std::size_t t = 0; t < types.size(); ++t) {
      types[t].name += fmt::format("-type{}", t);
    }
  }
}

/// The number of hosts from `at` on whose names have consecutive numbers; few count as one.
std::size_t range_at(const std::vector<std::string>& hosts, std::size_t at) {
  constexpr std::size_t least = 5;
  std::size_t count = 1;
  while (at + count < hosts.size() && hosts[at + count] == next_host(hosts[at + count - 1]))
    ++count;
  return count < least ? 1 : count;
}

/// The first `most` names and ranges of names.
std::string first_hosts(const std::vector<std::string>& hosts, std::size_t most) {
  std::vector<std::string> ranges;
  std::size_t at = 0;
  while (at < hosts.size() && ranges.size() < most) {
    const std::size_t count = range_at(hosts, at);
    ranges.push_back(count == 1 ? hosts[at]
                                : fmt::format("{} .. {}", hosts[at], hosts[at + count - 1]));
    at += count;
  }
  const std::string text = fmt::format("{}", fmt::join(ranges, ", "));
  return at == hosts.size() ? text : fmt::format("{} and {} more", text, hosts.size() - at);
}

}  // namespace

std::string listed_hosts(const std::vector<std::string>& hosts) {
  return first_hosts(hosts, 4);
}

std::string all_hosts(const std::vector<std::string>& hosts) {
  return first_hosts(hosts, hosts.size());
}

bool has_unequal_nics(const HostHardware& host) {
  std::set<BytesPerSecond> rates;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    const bool has_rate = device.kind == VertexKind::nic && device.port_class.empty();
    if (has_rate) rates.insert(device.port_rate);
  });
  return rates.size() > 1;
}

DiscoveredFabric with_hosts(DiscoveredFabric fabric, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return fabric;
  const std::set<std::string> switches{fabric.switches.begin(), fabric.switches.end()};
  constexpr std::size_t before_number = 4;  // `node`
  for (DiscoveredFabric::Cable& cable : fabric.cables) {
    for (std::string* const end : {&cable.from, &cable.to}) {
      if (switches.contains(*end)) continue;
      const std::size_t point = end->find('.');
      const auto node = number_of<std::size_t>(
          std::string_view{*end}.substr(before_number, point - before_number));
      *end = hosts.at(node.value()) + end->substr(point);
    }
  }
  return fabric;
}

void join_to_switch(const HostHardware& host, int node, DiscoveredFabric& fabric) {
  fabric.switches = {"switch0"};
  int nics = 0;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind != VertexKind::nic) return;
    fabric.cables.push_back(
        {fmt::format("node{}.nic{}", node, nics++), fabric.switches.front(), network_link(device)});
  });
}

std::vector<std::string> remarks_without_network(const DiscoveredNodes& nodes) {
  std::vector<std::string> remarks;
  if (nodes.fabric) {
    remarks = nodes.fabric->remarks;
    const bool is_rack = nodes.types.front().hardware.hosts > 1;
    remarks.push_back(
        fmt::format("there is one {}: its network is left out", is_rack ? "node" : "host"));
  } else if (const std::string& given = nodes.types.front().hardware.port_class; !given.empty()) {
    remarks.push_back(fmt::format(
        "there is one node: --network {} is not used (more --nodes would use it)", given));
  }
  return remarks;
}

DiscoveredNodes merge_hosts(const std::vector<HostHardware>& hosts) {
  DiscoveredNodes nodes;
  for (const HostHardware& host : hosts) {
    auto type = std::ranges::find_if(
        nodes.types, [&](const DiscoveredType& known) { return alike(known.hardware, host); });
    if (type == nodes.types.end()) {
      nodes.types.push_back({"", host, {}});
      type = nodes.types.end() - 1;
    }
    type->hosts.push_back(host.host);
    nodes.type_of.push_back(static_cast<std::size_t>(type - nodes.types.begin()));
  }
  name_types(nodes.types);
  return nodes;
}

}  // namespace ringcast
