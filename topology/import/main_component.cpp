// The main connected component of a network.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "topology/cluster/index.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

/// The connected component of each node: union-find over the cables between switches, and between
/// adapters. Adapters do not forward, so one with ports in two networks does not connect them.
std::vector<std::size_t> components_of(const IbNetwork& network) {
  std::vector<std::size_t> root(network.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&root](std::size_t node) {
    while (root[node] != node) {
      node = root[node] = root[root[node]];
    }
    return node;
  };
  for (const IbNetwork::Cable& cable : network.cables) {
    const std::size_t a = detail::index(cable.a);
    const std::size_t b = detail::index(cable.b);
    if (network.nodes[a].is_switch == network.nodes[b].is_switch) {
      root[find(a)] = find(b);
    }
  }
  for (std::size_t i = 0; i < root.size(); ++i) {
    root[i] = find(i);
  }
  return root;
}

}  // namespace

std::vector<bool> in_main_component(const IbNetwork& network) {
  const std::vector<std::size_t> components = components_of(network);
  std::map<std::size_t, std::set<std::string>> hosts;  // by component
  const auto for_each_end = [&](const auto& action) {
    for (const IbNetwork::Cable& cable : network.cables) {
      action(detail::index(cable.a), detail::index(cable.b));
      action(detail::index(cable.b), detail::index(cable.a));
    }
  };
  for_each_end([&](std::size_t node, std::size_t at) {
    if (!network.nodes[node].is_switch) {
      hosts[components[at]].insert(host_and_device(network.nodes[node]).first);
    }
  });
  std::vector<bool> is_in(components.size());
  if (hosts.empty()) {
    return is_in;
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
  const std::set<std::string>& most = std::ranges::max_element(hosts, fewer)->second;
  std::vector<bool> is_kept(components.size());  // by component
  for (const auto& [component, hosts_there] : hosts) {
    is_kept[component] = std::ranges::all_of(
        hosts_there, [&most](const std::string& host) { return most.contains(host); });
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    is_in[i] = network.nodes[i].is_switch && is_kept[components[i]];
  }
  for_each_end([&](std::size_t node, std::size_t at) {
    if (!network.nodes[node].is_switch) {
      is_in[node] = is_in[node] || is_kept[components[at]];
    }
  });
  return is_in;
}

}  // namespace ringcast
