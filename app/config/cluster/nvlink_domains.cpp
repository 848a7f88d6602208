#include "app/config/cluster/nvlink_domains.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/config/cluster/cluster_parts.hpp"
#include "topology/cluster/device_tree.hpp"
#include "topology/import/nvlink_rack.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

bool has_grace(const NodeTypeSpec& type) {
  bool found = false;
  for_each_device_of(type, [&found](const DeviceSpec& device) {
    found = found || device.cable.base_class == "nvlink-c2c";
  });
  return found;
}

std::optional<InputNode> joined_nodes(const InputNode& node) {
  const auto nvswitch = node.find("nvswitch");
  return nvswitch ? nvswitch->find("nodes") : std::nullopt;
}

int domain_of(const InputNode& node, const NodeTypeSpec& type) {
  if (const auto nodes = joined_nodes(node)) return nodes->count();
  return is_several_hosts(type) ? 1 : default_domain(type);  // a rack is a whole domain
}

NodeTypeSpec joined(const NodeTypeSpec& type, int nodes) {
  NodeTypeSpec all = type;
  all.name = fmt::format("{} x {}", nodes, type.name);
  const int gpus = static_cast<int>(parts_of(type).gpus);
  for (int i = 1; i < nodes; ++i) {
    all.sockets.insert(all.sockets.end(), type.sockets.begin(), type.sockets.end());
    for (NvlinkSpec nvlink : type.nvlinks) {
      nvlink.gpu_a += i * gpus;
      nvlink.gpu_b += i * gpus;
      all.nvlinks.push_back(std::move(nvlink));
    }
  }
  if (!all.socket_cable) {
    all.socket_cable = cable_of(*find_link_class("cnvlink"));
    all.socket_cable->name = all.socket_cable->link_class;
  }
  return all;
}

/// `node` describes the type of the group.
void expect_no_hosts(const NodeGroupSpec& group, const InputNode& node) {
  if (group.hosts.empty()) return;
  node.fail("NVLink joins the hosts of this type to racks, which have no names",
            "no hosts under nodes");
}

/// Merges the nodes of this type, which `node` describes, by domain; false if some nodes are alone
/// in theirs.
bool join_nodes(const InputNode& node, const NodeTypeSpec& type, int domain, ClusterSpec& cluster) {
  bool all_joined = true;
  std::vector<NodeGroupSpec> groups;
  for (const NodeGroupSpec& group : cluster.nodes) {
    if (group.type != type.name) {
      groups.push_back(group);
      continue;
    }
    for (const auto& [nodes, count] : nvlink_domains(group.count, domain)) {
      all_joined = all_joined && nodes > 1;
      NodeTypeSpec all = nodes > 1 ? joined(type, nodes) : type;
      check_parts(joined_nodes(node).value_or(node), all);
      if (nodes > 1) expect_no_hosts(group, node);
      groups.push_back({all.name, count, group.hosts});
      const auto known = std::ranges::find(cluster.node_types, all.name, &NodeTypeSpec::name);
      if (known == cluster.node_types.end()) cluster.node_types.push_back(std::move(all));
    }
  }
  cluster.nodes = std::move(groups);
  return all_joined;
}

}  // namespace

int default_domain(const NodeTypeSpec& type) {
  const bool rack = type.nvswitch && has_grace(type) &&
                    nvlink_generation(type.nvswitch->cable.base_class).value_or(0) >= 5;
  return rack ? trays_of_a_rack : 1;
}

bool is_several_hosts(const NodeTypeSpec& type) {
  constexpr int most_gpus_of_a_host = 4;
  return default_domain(type) > 1 && parts_of(type).gpus > most_gpus_of_a_host;
}

void join_nvlink_domains(const InputNode& types, ClusterSpec& cluster) {
  for (const auto& [name, node] : types.entries()) {
    const NodeTypeSpec type = *std::ranges::find(cluster.node_types, name, &NodeTypeSpec::name);
    const int domain = domain_of(node, type);
    if (domain > 1 && join_nodes(node, type, domain, cluster)) std::erase(cluster.node_types, type);
  }
}

std::string_view without_node_count(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool has_count = end > 0 && text.substr(end).starts_with(" x ");
  return has_count ? text.substr(end + 3) : text;
}

}  // namespace ringcast
