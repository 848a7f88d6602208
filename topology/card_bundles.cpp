#include "topology/card_bundles.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace ringcast::detail {
namespace {

using Devices = std::vector<DeviceSpec>;

int count_of(VertexKind kind, const Devices& devices) {
  int count = 0;
  for (const DeviceSpec& device : devices) {
    if (device.kind == kind) count += device.count;
  }
  return count;
}

/// Calls `visit` with the devices of each root complex and of each switch.
template <typename Visit>
void visit_switches(Devices& devices, const Visit& visit) {
  visit(devices);
  for (DeviceSpec& device : devices) {
    if (!device.devices.empty()) visit_switches(device.devices, visit);
  }
}

template <typename Visit>
void visit_devices(ClusterSpec& spec, const Visit& visit) {
  for (NodeTypeSpec& type : spec.node_types) {
    for (SocketSpec& socket : type.sockets) {
      for (RootComplexSpec& root : socket.root_complexes) {
        visit_switches(root.devices, visit);
      }
    }
  }
}

/// The cards of each GPU below one switch; 1 if that is no whole number, or differs.
int cards_per_gpu(ClusterSpec& spec) {
  std::set<int> ratios;
  visit_devices(spec, [&](const Devices& devices) {
    const int cards = count_of(VertexKind::nic, devices);
    const int gpus = count_of(VertexKind::gpu, devices);
    if (cards == 0) return;
    const int ratio = gpus > 0 && cards % gpus == 0 ? cards / gpus : 1;
    const bool fits = std::ranges::all_of(devices, [&](const DeviceSpec& device) {
      return device.kind != VertexKind::nic || device.count % ratio == 0;
    });
    ratios.insert(fits ? ratio : 1);
  });
  return ratios.size() == 1 ? *ratios.begin() : 1;
}

CableSpec times(int count, CableSpec cable) {
  const double factor = count;
  cable.bandwidth = factor * cable.bandwidth;
  cable.peer_bandwidth = factor * cable.peer_bandwidth;
  cable.both_ways = factor * cable.both_ways;
  cable.kernel_bandwidth = factor * cable.kernel_bandwidth;
  cable.link_class = fmt::format("{} x {}", count, cable.link_class);
  return cable;
}

}  // namespace

ClusterSpec with_card_bundles(ClusterSpec spec) {
  if (!spec.single_switch || spec.fat_tree || spec.explicit_fabric) return spec;
  const int cards = cards_per_gpu(spec);
  if (cards < 2) return spec;
  visit_devices(spec, [cards](Devices& devices) {
    for (DeviceSpec& device : devices) {
      if (device.kind != VertexKind::nic) continue;
      device.count /= cards;
      device.cable = times(cards, device.cable);
    }
  });
  SingleSwitchSpec& fabric = *spec.single_switch;
  fabric.cable = times(cards, fabric.cable);
  if (fabric.rails % cards == 0) fabric.rails /= cards;
  return spec;
}

}  // namespace ringcast::detail
