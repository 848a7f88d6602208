#include "topology/import/node_nics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {
namespace {

/// The ports with the NIC's name.
Nic ports_by_name(const HardwareDevice& nic, std::span<const HostPort> adapters) {
  Nic ports;
  // NCCL's files name the ports of one NIC "mlx5_0, mlx5_1", or "mlx5_0+mlx5_1" where it merged
  // them.
  std::string names = "," + nic.name + ",";
  std::erase(names, ' ');
  std::ranges::replace(names, '+', ',');
  for (const HostPort& adapter : adapters) {
    if (!adapter.device.empty() && names.find("," + adapter.device + ",") != std::string::npos) {
      ports.push_back(&adapter);
    }
  }
  return ports;
}

}  // namespace

std::vector<Nic> all_nics(std::span<const HostPort> adapters) {
  std::vector<Nic> nics;
  for (const HostPort& adapter : adapters) {
    const auto known = std::ranges::find_if(
        nics, [&](const Nic& nic) { return nic.front()->node() == adapter.node(); });
    (known == nics.end() ? nics.emplace_back() : *known).push_back(&adapter);
  }
  return nics;
}

std::vector<std::string> ports_without_nic(const std::string& host,
                                           std::span<const HostPort> adapters,
                                           std::span<const Nic> nics) {
  std::vector<std::string> ports;
  for (const HostPort& port : adapters) {
    const bool known = std::ranges::any_of(
        nics, [&](const Nic& nic) { return std::ranges::find(nic, &port) != nic.end(); });
    if (!known) ports.push_back(port_name(host, port.device));
  }
  return ports;
}

std::vector<std::string> nics_without_port(const std::string& host, const NodeNics& described,
                                           std::span<const Nic> nics) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nics.size(); ++i)
    if (nics[i].empty()) names.push_back(port_name(host, described.nics()[i]->name));
  return names;
}

std::vector<std::string> nics_with_ports(const std::string& host, std::span<const Nic> nics) {
  std::vector<std::string> names;
  for (const Nic& ports : nics)
    if (ports.size() > 1) names.push_back(port_name(host, ports.front()->device));
  return names;
}

HostHardware host_with_nics(std::span<const Nic> nics, BytesPerSecond pcie,
                            const std::string& tool) {
  HostHardware host;
  host.tool = tool;
  host.source = tool;
  HardwareSocket& socket = host.sockets.emplace_back();
  for (const Nic& ports : nics) {
    HardwareDevice above{VertexKind::pcie_switch, "", "", "", pcie};
    above.devices = {{VertexKind::gpu, "", "", "", pcie},
                     {VertexKind::nic, "", ports.front()->device, "", pcie}};
    socket.root_complexes.push_back({{std::move(above)}});
  }
  return host;
}

NodeNics::NodeNics(const HostHardware& node, const IbNetwork& network)
    : node_{&node}, network_{&network} {
  for_each_device_of(node, [this](const HardwareDevice& device) {
    if (device.kind == VertexKind::nic) nics_.push_back(&device);
  });
}

bool NodeNics::learn_guids(std::span<const HostPort> adapters) {
  std::vector<std::vector<std::size_t>> found;
  for (const HardwareDevice* nic : nics_) {
    std::vector<std::size_t> ports;
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const std::string& guid = network_->nodes[index(adapters[i].node())].adapter;
      if (!guid.empty() && guid == nic->guid) {
        ports.push_back(i);
      }
    }
    if (ports.empty()) {
      return false;
    }
    found.push_back(std::move(ports));
  }
  ports_of_node_ = adapters.size();
  by_guid_ = std::move(found);
  return !by_guid_.empty();
}

std::vector<Nic> NodeNics::among(std::span<const HostPort> adapters) const {
  std::vector<Nic> named;
  for (const HardwareDevice* nic : nics_)
    named.push_back(ports_by_name(*nic, adapters));
  const auto lacking = static_cast<std::size_t>(std::ranges::count(named, Nic{}));
  if (lacking == 0) {
    return named;
  }
  if (network_->nics_unknown) {
    return std::vector<Nic>(nics_.size(), Nic{&adapters.front()});
  }
  if (!by_guid_.empty() && adapters.size() == ports_of_node_) {
    std::vector<Nic> found;
    for (const std::vector<std::size_t>& ports : by_guid_) {
      found.emplace_back();
      for (const std::size_t port : ports) {
        found.back().push_back(&adapters[port]);
      }
    }
    return found;
  }
  std::vector<Nic> all = all_nics(adapters);
  if (all.size() == nics_.size()) {
    return all;
  }
  // A host of another kind, such as a file server, has a few NICs of these names.
  return 2 * lacking < nics_.size() ? named : std::vector<Nic>{};
}

std::size_t NodeNics::unmatched(std::span<const HostPort> adapters) const {
  const std::vector<Nic> nics = among(adapters);
  if (nics.empty()) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::ranges::count(nics, Nic{})) +
         ports_without_nic("", adapters, nics).size();
}

}  // namespace ringcast::detail
