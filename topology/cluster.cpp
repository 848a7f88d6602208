#include "topology/cluster.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"
#include "topology/card_bundles.hpp"
#include "topology/cluster_spec.hpp"
#include "topology/fabric_builder.hpp"
#include "topology/node_builder.hpp"

namespace ringcast {

std::string_view name_of(VertexKind kind) {
  static constexpr EnumNames<vertex_kinds> names{
      "gpu",      "cpu",          "root complex",   "PCIe switch",
      "NVSwitch", "network card", "network switch", "process"};
  return name_in(names, kind);
}

namespace {

using NodePlans = std::unordered_map<std::string, detail::NodePlan>;

NodePlans plan_node_types(const ClusterSpec& spec) {
  NodePlans plans;
  for (const NodeTypeSpec& type : spec.node_types) {
    if (!plans.emplace(type.name, detail::plan_node(type)).second) {
      throw ScenarioError{fmt::format(
          "node type {}: the name is used twice (expected a name of its own)", type.name)};
    }
  }
  return plans;
}

/// Adds one node to the cluster and returns its network cards.
std::vector<int> add_node(const detail::NodePlan& plan, const std::string& type, Cluster& cluster) {
  const int node = static_cast<int>(cluster.node_types.size());
  const int first = static_cast<int>(cluster.vertices.size());
  cluster.node_types.push_back(type);
  for (const Vertex& vertex : plan.vertices) {
    cluster.vertices.push_back({fmt::format("node{}.{}", node, vertex.name), vertex.kind, node,
                                vertex.memory, vertex.caches});
  }
  for (const Cable& cable : plan.cables) {
    cluster.cables.push_back(cable);
    cluster.cables.back().a += first;
    cluster.cables.back().b += first;
  }
  std::vector<int> nics = plan.nics;
  for (int& nic : nics) {
    nic += first;
  }
  return nics;
}

detail::CardsOfNodes add_nodes(const ClusterSpec& spec, Cluster& cluster) {
  const NodePlans plans = plan_node_types(spec);
  detail::CardsOfNodes cards;
  for (const NodeGroupSpec& group : spec.nodes) {
    const auto plan = plans.find(group.type);
    if (plan == plans.end()) {
      throw ScenarioError{fmt::format("nodes: {} is no node type of this cluster", group.type)};
    }
    if (group.count < 1) {
      throw ScenarioError{
          fmt::format("nodes: {} of type {} (expected at least 1)", group.count, group.type)};
    }
    for (int i = 0; i < group.count; ++i) {
      cards.push_back(add_node(plan->second, group.type, cluster));
    }
  }
  if (std::ranges::none_of(cluster.vertices, is_rank, &Vertex::kind)) {
    throw ScenarioError{
        fmt::format("cluster {}: no gpu (expected at least one, or processes)", spec.name)};
  }
  return cards;
}

void add_fabric(const ClusterSpec& spec, const detail::CardsOfNodes& cards, Cluster& cluster) {
  const int fabrics = static_cast<int>(spec.single_switch.has_value()) +
                      static_cast<int>(spec.fat_tree.has_value()) +
                      static_cast<int>(spec.explicit_fabric.has_value());
  if (fabrics > 1) {
    throw ScenarioError{fmt::format("fabric: {} of them (expected one)", fabrics)};
  }
  if (fabrics == 0 && cards.size() > 1) {
    throw ScenarioError{fmt::format("fabric: none for {} nodes (expected one)", cards.size())};
  }
  if (fabrics == 0) {
    return;
  }
  const auto bare = std::ranges::find_if(cards, &std::vector<int>::empty);
  if (bare != cards.end()) {
    const auto node = static_cast<std::size_t>(bare - cards.begin());
    throw ScenarioError{
        fmt::format("node type {}: no network card for the fabric (expected at "
                    "least one, as node{} is on it)",
                    cluster.node_types[node], node)};
  }
  if (spec.single_switch) {
    detail::add_single_switch(*spec.single_switch, cards, cluster);
  } else if (spec.fat_tree) {
    detail::add_fat_tree(*spec.fat_tree, cards, cluster);
  } else {
    detail::add_explicit_fabric(*spec.explicit_fabric, cluster);
  }
}

/// Renumbers the ranks: swaps vertices so that the GPUs in `first` come before all other GPUs. The
/// positions of GPUs in the list of vertices stay the same.
void put_first(const std::vector<int>& first, Cluster& cluster) {
  std::vector<int> places;  // the vertex of each GPU
  for (std::size_t i = 0; i < cluster.vertices.size(); ++i) {
    if (is_rank(cluster.vertices[i].kind)) {
      places.push_back(static_cast<int>(i));
    }
  }
  std::vector<int> order = first;
  for (int gpu = 0; gpu < static_cast<int>(places.size()); ++gpu) {
    const auto times = std::ranges::count(first, gpu);
    if (times > 1) {
      throw ScenarioError{fmt::format("GPU {} is there twice (expected each once)", gpu)};
    }
    if (times == 0) {
      order.push_back(gpu);
    }
  }
  if (order.size() != places.size()) {
    throw ScenarioError{fmt::format("one of the GPUs is not there (expected numbers from 0 to {})",
                                    places.size() - 1)};
  }
  std::vector<Vertex> vertices = cluster.vertices;
  std::vector<int> moved_to(vertices.size());
  std::iota(moved_to.begin(), moved_to.end(), 0);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const int from = places[static_cast<std::size_t>(order[rank])];
    vertices[static_cast<std::size_t>(places[rank])] =
        cluster.vertices[static_cast<std::size_t>(from)];
    moved_to[static_cast<std::size_t>(from)] = places[rank];
  }
  cluster.vertices = std::move(vertices);
  for (Cable& cable : cluster.cables) {
    cable.a = moved_to[static_cast<std::size_t>(cable.a)];
    cable.b = moved_to[static_cast<std::size_t>(cable.b)];
  }
}

}  // namespace

Cluster build_cluster(const ClusterSpec& described) {
  const ClusterSpec spec = detail::with_card_bundles(described);
  Cluster cluster;
  cluster.name = spec.name;
  const detail::CardsOfNodes cards = add_nodes(spec, cluster);
  add_fabric(spec, cards, cluster);
  if (!spec.first_gpus.empty()) {
    put_first(spec.first_gpus, cluster);
  }
  return cluster;
}

}  // namespace ringcast
