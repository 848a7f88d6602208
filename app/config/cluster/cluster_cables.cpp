#include "app/config/cluster/cluster_cables.hpp"

namespace ringcast {
namespace {

using Cables = std::vector<CableSpec*>;

void add_cables_below(std::vector<DeviceSpec>& devices, Cables& cables) {
  for (DeviceSpec& device : devices) {
    cables.push_back(&device.cable);
    add_cables_below(device.devices, cables);
  }
}

void add_cables_of_node(NodeTypeSpec& type, Cables& cables) {
  for (SocketSpec& socket : type.sockets) {
    if (socket.process_cable) cables.push_back(&*socket.process_cable);
    for (RootComplexSpec& root : socket.root_complexes) {
      if (root.cable) cables.push_back(&*root.cable);
      add_cables_below(root.devices, cables);
    }
  }
  if (type.socket_cable) cables.push_back(&*type.socket_cable);
  for (NvlinkSpec& nvlink : type.nvlinks) {
    cables.push_back(&nvlink.cable);
  }
  if (type.nvswitch) cables.push_back(&type.nvswitch->cable);
}

void add_cables_of_fabric(ClusterSpec& cluster, Cables& cables) {
  if (cluster.single_switch) cables.push_back(&cluster.single_switch->cable);
  if (cluster.fat_tree) {
    cables.push_back(&cluster.fat_tree->cable);
    if (cluster.fat_tree->uplink) cables.push_back(&*cluster.fat_tree->uplink);
  }
  if (cluster.explicit_fabric) {
    for (ExplicitFabricSpec::Cable& cable : cluster.explicit_fabric->cables) {
      cables.push_back(&cable.cable);
    }
  }
}

}  // namespace

std::vector<CableSpec*> cables_of(ClusterSpec& cluster) {
  Cables cables;
  for (NodeTypeSpec& type : cluster.node_types) {
    add_cables_of_node(type, cables);
  }
  add_cables_of_fabric(cluster, cables);
  return cables;
}

}  // namespace ringcast
