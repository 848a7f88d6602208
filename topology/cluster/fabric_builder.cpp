#include "topology/cluster/fabric_builder.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

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

void add_fabric_cable(int a, int b, const CableSpec& cable, Cluster& cluster) {
  cluster.cables.push_back({a, b, cable.bandwidth, cable.latency, cable.link_class, cable.source,
                            cable.peer_bandwidth, cable.both_ways, cable.kernel_bandwidth,
                            cable.base_class});
}

void check_rails(int rails, const CardsOfNodes& cards) {
  if (rails < 1) {
    throw ScenarioError{fmt::format("rails: {} (expected at least 1)", rails)};
  }
  for (std::size_t node = 0; node < cards.size(); ++node) {
    if (static_cast<int>(cards[node].size()) < rails) {
      throw ScenarioError{fmt::format(
          "rails: {} (expected at most {}, as node{} has {} network card{})", rails,
          cards[node].size(), node, cards[node].size(), cards[node].size() == 1 ? "" : "s")};
    }
  }
}

void add_single_switch(const SingleSwitchSpec& spec, const CardsOfNodes& cards, Cluster& cluster) {
  check_rails(spec.rails, cards);
  const int built = static_cast<int>(cluster.vertices.size());
  const std::vector<int> switches = add_switches("switch", 0, spec.rails, cluster);
  for (const std::vector<int>& cards_of_node : cards) {
    if (cards_of_node.front() >= built) break;
    for (std::size_t card = 0; card < cards_of_node.size(); ++card) {
      add_fabric_cable(cards_of_node[card], switches[card % switches.size()], spec.cable, cluster);
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
  const auto in_fabric = [&cluster](int vertex) {
    const VertexKind kind = cluster.vertices[static_cast<std::size_t>(vertex)].kind;
    return kind == VertexKind::nic || kind == VertexKind::network_switch;
  };
  const auto end_named = [&](const std::string& name, std::size_t cable) {
    const auto found = ends.find(name);
    if (found == ends.end() || !in_fabric(found->second)) {
      throw ScenarioError{
          fmt::format("fabric: cable {} leads to {} (expected one of the switches, or a network "
                      "card such as node0.nic0)",
                      cable, name)};
    }
    return found->second;
  };
  for (std::size_t i = 0; i < spec.cables.size(); ++i) {
    const ExplicitFabricSpec::Cable& cable = spec.cables[i];
    add_fabric_cable(end_named(cable.from, i), end_named(cable.to, i), cable.cable, cluster);
  }
}

}  // namespace ringcast::detail
