#include "topology/cluster/fabric_builder.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/add_cable.hpp"

namespace ringcast::detail {

int add_switch(const std::string& name, Cluster& cluster) {
  cluster.vertices.push_back({name, VertexKind::network_switch, -1});
  return static_cast<int>(cluster.vertices.size()) - 1;
}

std::vector<int> add_switches(std::string_view kind, int first, int count, Cluster& cluster) {
  std::vector<int> switches;
  switches.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    switches.push_back(add_switch(fmt::format("{}{}", kind, first + i), cluster));
  }
  return switches;
}

void add_cable(int a, int b, const CableSpec& cable, std::vector<Cable>& cables) {
  cables.push_back({a, b, cable.bandwidth, cable.latency, cable.link_class, cable.source,
                    cable.peer_bandwidth, cable.both_ways, cable.kernel_bandwidth,
                    cable.base_class});
}

void check_rails(int rails, const NicsOfNodes& nics) {
  expect(rails > 0, "{} rails", rails);
  for (std::size_t node = 0; node < nics.size(); ++node) {
    if (static_cast<int>(nics[node].size()) < rails) {
      throw ScenarioError{fmt::format("rails: {} (expected at most {}, as node{} has {} NIC{})",
                                      rails, nics[node].size(), node, nics[node].size(),
                                      nics[node].size() == 1 ? "" : "s")};
    }
  }
}

void add_single_switch(const SingleSwitchSpec& spec, const NicsOfNodes& nics, Cluster& cluster) {
  check_rails(spec.rails, nics);
  const int built = static_cast<int>(cluster.vertices.size());
  const std::vector<int> switches = add_switches("switch", 0, spec.rails, cluster);
  for (const std::vector<int>& nics_of_node : nics) {
    if (nics_of_node.front() >= built) break;
    for (std::size_t nic = 0; nic < nics_of_node.size(); ++nic) {
      add_cable(nics_of_node[nic], switches[nic % switches.size()], spec.cable, cluster.cables);
    }
  }
}

void add_explicit_fabric(const ExplicitFabricSpec& spec, Cluster& cluster) {
  std::unordered_map<std::string, int> ends;
  for (std::size_t vertex = 0; vertex < cluster.vertices.size(); ++vertex) {
    ends.emplace(cluster.vertices[vertex].name, static_cast<int>(vertex));
  }
  for (const std::string& name : spec.switches) {
    if (!ends.emplace(name, add_switch(name, cluster)).second) {
      throw ScenarioError{
          fmt::format("the name {} is used twice (expected a name of its own)", name)};
    }
  }
  const auto end_named = [&ends](const std::string& name) {
    const auto found = ends.find(name);
    expect(found != ends.end(), "a cable of the fabric leads to {}", name);
    return found->second;
  };
  for (const ExplicitFabricSpec::Cable& cable : spec.cables) {
    add_cable(end_named(cable.from), end_named(cable.to), cable.cable, cluster.cables);
  }
}

}  // namespace ringcast::detail
