#include "app/config/cluster/cluster_cables.hpp"

#include <fmt/format.h>

#include "app/config/cluster/cable_reader.hpp"
#include "engine/numbers/units.hpp"
#include "topology/cluster/device_tree.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

void visit_cables_of_node(auto& type, const auto& visit) {
  for (auto& socket : type.sockets) {
    if (socket.process_cable) visit(*socket.process_cable);
    for (auto& root : socket.root_complexes) {
      if (root.cable) visit(*root.cable);
      for_each_device(root.devices, [&visit](auto& device) { visit(device.cable); });
    }
  }
  if (type.socket_cable) visit(*type.socket_cable);
  for (auto& nvlink : type.nvlinks) {
    visit(nvlink.cable);
  }
  if (type.nvswitch) visit(type.nvswitch->cable);
}

void visit_cables_of_fabric(auto& cluster, const auto& visit) {
  if (cluster.single_switch) visit(cluster.single_switch->cable);
  if (cluster.fat_tree) {
    visit(cluster.fat_tree->cable);
    if (cluster.fat_tree->uplink) visit(*cluster.fat_tree->uplink);
  }
  if (cluster.explicit_fabric) {
    for (auto& cable : cluster.explicit_fabric->cables) {
      visit(cable.cable);
    }
  }
}

void visit_cables(auto& cluster, const auto& visit) {
  for (auto& type : cluster.node_types) {
    visit_cables_of_node(type, visit);
  }
  visit_cables_of_fabric(cluster, visit);
}

}  // namespace

std::vector<CableSpec*> cables_of(ClusterSpec& cluster) {
  std::vector<CableSpec*> cables;
  visit_cables(cluster, [&](CableSpec& cable) { cables.push_back(&cable); });
  return cables;
}

LinkClassNames link_classes_of(const ClusterSpec& cluster) {
  LinkClassNames classes;
  visit_cables(cluster, [&](const CableSpec& cable) { classes.insert(cable.base_class); });
  return classes;
}

bool has_class(const LinkClassNames& classes, std::string_view prefix) {
  const auto first = classes.lower_bound(prefix);
  return first != classes.end() && first->starts_with(prefix);
}

CableSpec cable_of(const LinkChoice& choice) {
  if (choice.link_class.empty()) return {"", choice.bandwidth, Seconds{0}, "assumed"};
  CableSpec cable = cable_of(*find_link_class(choice.link_class));
  if (choice.bandwidth > BytesPerSecond{0}) {
    cable.bandwidth = parse_rate(to_text(choice.bandwidth));  // rounded to four digits
    cable.peer_bandwidth = {};
    cable.kernel_bandwidth = kernel_limit_of(choice, cable.bandwidth);
    cable.source = fmt::format("{}; scaled from {} by line rate", choice.why, choice.link_class);
  }
  return cable;
}

}  // namespace ringcast
