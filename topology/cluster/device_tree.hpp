#pragma once

namespace ringcast {

/// Calls `visit(device)` for each device of a list and all devices below it, depth first, which is
/// the order of their numbers in clusters.
template <typename Devices, typename Visit>
void for_each_device(Devices& devices, const Visit& visit) {
  for (auto& device : devices) {
    visit(device);
    for_each_device(device.devices, visit);
  }
}
/// The same for a node, as a NodeTypeSpec or as its HostHardware.
template <typename Node, typename Visit>
void for_each_device_of(Node& node, const Visit& visit) {
  for (auto& socket : node.sockets)
    for (auto& root : socket.root_complexes)
      for_each_device(root.devices, visit);
}

}  // namespace ringcast
