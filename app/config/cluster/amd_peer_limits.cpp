#include "app/config/cluster/amd_peer_limits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/config/cluster/link_names.hpp"
#include "app/config/cluster/processor_names.hpp"
#include "topology/cluster/device_tree.hpp"
#include "topology/links/link_class.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

void replace_limit_of_class(CableSpec& cable, BytesPerSecond limit) {
  const LinkClass* const link_class = find_link_class(cable.base_class);
  if (link_class != nullptr && link_class->peer_achievable > BytesPerSecond{0} &&
      cable.peer_bandwidth == link_class->peer_achievable) {
    cable.peer_bandwidth = limit;
  }
}

void rename_cable(CableSpec& cable, std::string name) {
  cable.link_class = name;
  cable.name = std::move(name);
}

/// Renames a named link, as GPUs on links of the same name do not have this limit.
void limit_nic(CableSpec& cable, const NamedCables& named) {
  const CableSpec as_named = cable;
  replace_limit_of_class(cable, BytesPerSecond{1e9 * measured_constant(amd_nic_peers)});
  if (cable == as_named || cable.name.empty()) return;
  const std::string of_nics = fmt::format("{} of NICs", cable.name);
  rename_cable(cable, of_nics);
  const auto is_of_another = [&] {
    const auto other = named.find(cable.name);
    return other != named.end() && other->second != cable;
  };
  for (int copy = 2; is_of_another(); ++copy)
    rename_cable(cable, fmt::format("{} ({})", of_nics, copy));
}

void drop_peer_limit(CableSpec& cable) {
  constexpr int limited_as_intels = 5;
  if (pcie_generation(cable.base_class).value_or(0) < limited_as_intels)
    replace_limit_of_class(cable, BytesPerSecond{0});
}

/// The newest generation of PCIe below the root complexes, a lower bound of the host's; 0: none.
int newest_pcie(const NodeTypeSpec& type) {
  int newest = 0;
  for_each_device_of(type, [&newest](const DeviceSpec& device) {
    newest = std::max(newest, pcie_generation(device.cable.base_class).value_or(0));
  });
  return newest;
}

}  // namespace

bool has_amd_socket_link(const NodeTypeSpec& type) {
  return type.socket_cable && vendor_of_socket_link(type.socket_cable->base_class) == "amd";
}

void set_amd_processors(NodeTypeSpec& type, const NamedCables& named) {
  type.amd = true;
  const bool rome_or_milan = newest_pcie(type) == 4;
  for (SocketSpec& socket : type.sockets) {
    for (RootComplexSpec& root : socket.root_complexes) {
      if (root.cable) drop_peer_limit(*root.cable);
      for (DeviceSpec& device : root.devices) {
        if (device.kind == VertexKind::nic && rome_or_milan) limit_nic(device.cable, named);
      }
    }
  }
  for_each_device_of(type, [](DeviceSpec& device) { drop_peer_limit(device.cable); });
}

BytesPerSecond staging_bandwidth_of(std::string_view cpu) {
  const bool limited = detail::is_rome_or_milan(Spelling{cpu});
  return BytesPerSecond{limited ? 1e9 * measured_constant(epyc_staging) : 0};
}

}  // namespace ringcast
