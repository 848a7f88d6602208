#include "topology/cluster/nic_bundles.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "topology/cluster/add_cable.hpp"
#include "topology/cluster/device_tree.hpp"

namespace ringcast::detail {

namespace {

int count_of(const std::vector<DeviceSpec>& siblings, VertexKind kind) {
  return std::accumulate(siblings.begin(), siblings.end(), 0,
                         [kind](int sum, const DeviceSpec& device) {
                           return sum + (device.kind == kind ? std::max(device.count, 0) : 0);
                         });
}

/// Calls `see` with each list of devices that have the same parent.
template <typename Type, typename See>
void each_list_of(Type& type, const See& see) {
  for (auto& socket : type.sockets) {
    for (auto& root : socket.root_complexes) {
      see(root.devices);
      for_each_device(root.devices, [&see](auto& device) { see(device.devices); });
    }
  }
}

/// NICs per GPU of a list; 0: there are no GPUs, or the NICs are not equal or not a multiple of
/// them.
int nics_per_gpu(const std::vector<DeviceSpec>& siblings) {
  const int nics = count_of(siblings, VertexKind::nic);
  const int gpus = count_of(siblings, VertexKind::gpu);
  if (gpus == 0 || nics % gpus != 0) return 0;
  std::optional<CableSpec> cable;
  for (const DeviceSpec& device : siblings) {
    if (device.kind != VertexKind::nic) continue;
    if (cable && !(*cable == device.cable)) return 0;
    cable = device.cable;
  }
  return nics / gpus;
}

void bundle(std::vector<DeviceSpec>& siblings, int links) {
  const auto first = std::ranges::find(siblings, VertexKind::nic, &DeviceSpec::kind);
  if (first == siblings.end()) return;
  first->count = count_of(siblings, VertexKind::nic) / links;
  first->cable = bundle_of(links, std::move(first->cable));
  siblings.erase(
      std::remove_if(first + 1, siblings.end(),
                     [](const DeviceSpec& device) { return device.kind == VertexKind::nic; }),
      siblings.end());
}

/// The same for all lists of a cluster with NICs; 0: they differ.
int nics_of_each_gpu(const ClusterSpec& spec) {
  std::set<int> ratios;
  for (const NodeTypeSpec& type : spec.node_types) {
    each_list_of(type, [&ratios](const std::vector<DeviceSpec>& siblings) {
      if (count_of(siblings, VertexKind::nic) > 0) ratios.insert(nics_per_gpu(siblings));
    });
  }
  return ratios.size() == 1 ? *ratios.begin() : 0;
}

/// Whether the fabric is a single switch, and the NICs of each GPU are on the same rails as those
/// of other GPUs, or on rails of their own. NICs take the rails in turn.
bool joins_nics(const std::optional<SingleSwitchSpec>& fabric, int links) {
  if (!fabric) return false;
  const int rails = fabric->rails;
  return rails < 1 || rails % links == 0 || links % rails == 0;
}

}  // namespace

CableSpec bundle_of(std::int64_t links, CableSpec cable) {
  if (links == 1) return cable;
  for (BytesPerSecond* rate :
       {&cable.bandwidth, &cable.peer_bandwidth, &cable.both_ways, &cable.kernel_bandwidth}) {
    *rate = static_cast<double>(links) * *rate;
  }
  cable.link_class = fmt::format("{} x {}", links, cable.link_class);
  return cable;
}

ClusterSpec with_bundled_nics(ClusterSpec spec) {
  const int links = nics_of_each_gpu(spec);
  if (links < 2 || !joins_nics(spec.single_switch, links)) return spec;
  for (NodeTypeSpec& type : spec.node_types) {
    each_list_of(type, [links](std::vector<DeviceSpec>& siblings) { bundle(siblings, links); });
  }
  CableSpec& uplink = spec.single_switch->cable;
  uplink = bundle_of(links, std::move(uplink));
  int& rails = spec.single_switch->rails;
  rails = std::max(1, rails / links);
  return spec;
}

int nics_apart(const ClusterSpec& spec) {
  const int links = nics_of_each_gpu(spec);
  return links < 2 || joins_nics(spec.single_switch, links) ? 0 : links;
}

std::optional<std::pair<int, int>> uneven_nics(const ClusterSpec& spec) {
  std::optional<std::pair<int, int>> uneven;
  for (const NodeTypeSpec& type : spec.node_types) {
    each_list_of(type, [&uneven](const std::vector<DeviceSpec>& siblings) {
      const int nics = count_of(siblings, VertexKind::nic);
      const int gpus = count_of(siblings, VertexKind::gpu);
      if (gpus > 0 && nics > gpus && nics % gpus != 0 && !uneven) uneven = {nics, gpus};
    });
  }
  return uneven;
}

}  // namespace ringcast::detail
