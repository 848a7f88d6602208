#include "topology/cluster/cluster.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/fabric_builder.hpp"
#include "topology/cluster/index.hpp"
#include "topology/cluster/nic_bundles.hpp"
#include "topology/cluster/node_builder.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {

std::string_view name_of(VertexKind kind) {
  static constexpr EnumNames<vertex_kinds> names{"gpu",      "cpu", "root complex",   "PCIe switch",
                                                 "NVSwitch", "NIC", "network switch", "process"};
  return name_in(names, kind);
}

std::vector<int> rank_vertices(const Cluster& cluster) {
  if (!cluster.ranks.empty()) return cluster.ranks;
  std::vector<int> vertices;
  for (std::size_t i = 0; i < cluster.vertices.size(); ++i) {
    if (is_rank(cluster.vertices[i].kind)) vertices.push_back(static_cast<int>(i));
  }
  return vertices;
}

namespace {

using detail::index;
using NodePlans = std::unordered_map<std::string, detail::NodePlan>;

NodePlans plan_node_types(const ClusterSpec& spec) {
  NodePlans plans;
  for (const NodeTypeSpec& type : spec.node_types) {
    const bool is_new = plans.emplace(type.name, detail::plan_node(type)).second;
    expect(is_new, "two node types are named {}", type.name);
  }
  return plans;
}

int ranks_of(const detail::NodePlan& plan) {
  return static_cast<int>(std::ranges::count_if(plan.vertices, is_rank, &Vertex::kind));
}

/// The nodes of a cluster, in order, before they are built.
struct Nodes {
  std::vector<const detail::NodePlan*> plans;
  std::vector<std::string_view> types;
  std::vector<std::string> names;
  std::vector<int> first;    // the index of the first vertex of each node
  detail::NicsOfNodes nics;  // vertices of the NICs of each node
};

Nodes place_nodes(const ClusterSpec& spec, const NodePlans& plans) {
  Nodes nodes;
  int first = 0;
  for (const NodeGroupSpec& group : spec.nodes) {
    const auto plan = plans.find(group.type);
    expect(plan != plans.end(), "{} is no node type of {}", group.type, spec.name);
    for (int i = 0; i < group.count; ++i) {
      nodes.plans.push_back(&plan->second);
      nodes.types.push_back(plan->first);
      nodes.names.push_back(group.hosts.empty() ? fmt::format("node{}", nodes.names.size())
                                                : group.hosts.at(static_cast<std::size_t>(i)));
      nodes.first.push_back(first);
      std::vector<int>& nics = nodes.nics.emplace_back(plan->second.nics);
      for (int& nic : nics) {
        nic += first;
      }
      first += static_cast<int>(plan->second.vertices.size());
    }
  }
  if (std::ranges::all_of(nodes.plans,
                          [](const detail::NodePlan* plan) { return ranks_of(*plan) == 0; })) {
    throw ScenarioError{
        fmt::format("cluster {}: no gpu (expected at least one, or processes)", spec.name)};
  }
  return nodes;
}

void add_node(const Nodes& nodes, std::size_t node, Cluster& cluster) {
  const detail::NodePlan& plan = *nodes.plans[node];
  cluster.node_types.emplace_back(nodes.types[node]);
  for (const Vertex& vertex : plan.vertices) {
    Vertex& copy = cluster.vertices.emplace_back(vertex);
    copy.name = fmt::format("{}.{}", nodes.names[node], vertex.name);
    copy.node = static_cast<int>(node);
  }
  for (const Cable& cable : plan.cables) {
    cluster.cables.push_back(cable);
    cluster.cables.back().a += nodes.first[node];
    cluster.cables.back().b += nodes.first[node];
  }
}

void check_fabric(const ClusterSpec& spec, const Nodes& nodes) {
  const detail::NicsOfNodes& nics = nodes.nics;
  const bool has_fabric = spec.single_switch || spec.fat_tree || spec.explicit_fabric;
  expect(has_fabric || nics.size() < 2, "no fabric for {} nodes", nics.size());
  const auto bare = std::ranges::find_if(nics, &std::vector<int>::empty);
  if (has_fabric && bare != nics.end()) {
    const auto node = static_cast<std::size_t>(bare - nics.begin());
    throw ScenarioError{
        fmt::format("node type {}: no NIC for the fabric (expected at "
                    "least one, as {} is on it)",
                    nodes.types[node], nodes.names[node])};
  }
}

void add_fabric(const ClusterSpec& spec, const detail::NicsOfNodes& nics, Cluster& cluster) {
  if (spec.single_switch) {
    detail::add_single_switch(*spec.single_switch, nics, cluster);
  } else if (spec.fat_tree) {
    detail::add_fat_tree(*spec.fat_tree, nics, cluster);
  } else if (spec.explicit_fabric) {
    detail::add_explicit_fabric(*spec.explicit_fabric, cluster);
  }
}

/// The number of nodes that build_part() builds for `ranks`.
std::size_t nodes_of_part(const ClusterSpec& spec, const Nodes& nodes, int ranks) {
  if (spec.explicit_fabric) return nodes.plans.size();
  // At least two nodes, so that a part shows whether nodes are connected.
  std::size_t least = 0;
  for (int built = 0; least < nodes.plans.size() && (least < 2 || built < ranks); ++least) {
    built += ranks_of(*nodes.plans[least]);
  }
  return spec.fat_tree ? detail::nodes_of_full_leaves(*spec.fat_tree, nodes.nics, least) : least;
}

/// The vertices of a job's GPUs.
std::vector<int> vertices_of(const std::vector<int>& job_gpus, const Cluster& cluster) {
  const std::vector<int> all = rank_vertices(cluster);
  std::vector<int> vertices;
  std::unordered_set<int> known;
  for (const int gpu : job_gpus) {
    expect(gpu >= 0 && index(gpu) < all.size() && known.insert(gpu).second,
           "GPU {} is missing or repeated among {}", gpu, all.size());
    vertices.push_back(all[index(gpu)]);
  }
  return vertices;
}

Cluster build(const ClusterSpec& described, std::optional<int> ranks) {
  const ClusterSpec spec = detail::with_bundled_nics(described);
  const NodePlans plans = plan_node_types(spec);
  const Nodes nodes = place_nodes(spec, plans);
  check_fabric(spec, nodes);
  const std::size_t built = ranks ? nodes_of_part(spec, nodes, *ranks) : nodes.plans.size();
  Cluster cluster;
  cluster.name = spec.name;
  for (std::size_t node = 0; node < built; ++node) {
    add_node(nodes, node, cluster);
  }
  add_fabric(spec, nodes.nics, cluster);
  cluster.ranks = vertices_of(spec.job_gpus, cluster);
  return cluster;
}

}  // namespace

Cluster build_cluster(const ClusterSpec& spec) {
  return build(spec, std::nullopt);
}

Cluster build_part(const ClusterSpec& spec, int ranks) {
  const std::vector<int>& gpus = spec.job_gpus;
  return build(spec, gpus.empty() ? ranks : std::ranges::max(gpus) + 1);
}

int count_nodes(const ClusterSpec& spec) {
  int nodes = 0;
  for (const NodeGroupSpec& group : spec.nodes)
    nodes += group.count;
  return nodes;
}

std::vector<std::string> hosts_of_nodes(const ClusterSpec& spec) {
  std::vector<std::string> hosts;
  for (const NodeGroupSpec& group : spec.nodes)
    hosts.insert(hosts.end(), group.hosts.begin(), group.hosts.end());
  return hosts;
}

std::vector<int> nodes_of_ranks(const ClusterSpec& spec) {
  const NodePlans plans = plan_node_types(spec);
  std::vector<int> nodes;
  int node = 0;
  for (const NodeGroupSpec& group : spec.nodes) {
    const auto ranks = static_cast<std::size_t>(ranks_of(plans.at(group.type)));
    for (int i = 0; i < group.count; ++i)
      nodes.insert(nodes.end(), ranks, node++);
  }
  if (spec.job_gpus.empty()) return nodes;
  std::vector<int> of_job;
  for (const int gpu : spec.job_gpus)
    of_job.push_back(nodes.at(index(gpu)));
  return of_job;
}

int count_ranks(const ClusterSpec& spec) {
  if (!spec.job_gpus.empty()) return static_cast<int>(spec.job_gpus.size());
  const NodePlans plans = plan_node_types(spec);
  int ranks = 0;
  for (const NodeGroupSpec& group : spec.nodes) {
    ranks += group.count * ranks_of(plans.at(group.type));
  }
  return ranks;
}

}  // namespace ringcast
