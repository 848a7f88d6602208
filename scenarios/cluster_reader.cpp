#include "scenarios/cluster_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/fabric_reader.hpp"
#include "scenarios/known_keys.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/node_parts.hpp"
#include "scenarios/node_type_reader.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/yaml_reader.hpp"
#include "topology/topology.hpp"

namespace ringcast {

namespace {

NodeGroupSpec read_group(const InputNode& node, const std::vector<NodeTypeSpec>& types) {
  node.allow_keys(keys_of("nodes entry"));
  std::vector<std::string_view> names;
  for (const NodeTypeSpec& type : types) names.push_back(type.name);
  NodeGroupSpec group;
  group.type = node.require("type", "a name under node_types").one_of("node type", names);
  if (const auto count = node.find("count")) group.count = count->count();
  return group;
}

/// Nodes and their total of parts: all of a cluster but its fabric's switches.
struct Extent {
  std::int64_t nodes = 0;
  std::int64_t parts = 0;
};

Extent extent_of(const ClusterSpec& cluster) {
  Extent extent;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const auto type = std::ranges::find(cluster.node_types, group.type, &NodeTypeSpec::name);
    extent.nodes += group.count;
    extent.parts += group.count * parts_of(*type).total;
  }
  return extent;
}

void read_nodes(const InputNode& node, ClusterSpec& cluster) {
  const InputNode nodes = node.require("nodes", "a list of {type, count}");
  for (const InputNode& item : nodes.items()) {
    cluster.nodes.push_back(read_group(item, cluster.node_types));
    if (extent_of(cluster).parts > most_parts_of_a_cluster) {
      nodes.fail("too many parts in one cluster",
                 fmt::format("at most {}", most_parts_of_a_cluster));
    }
  }
}

/// Builds the cluster once; a complaint, which has no position, takes that of `blamed`.
int checked_gpus(const ClusterSpec& spec, const InputNode& blamed) {
  try {
    return Topology{build_cluster(spec)}.ranks();
  } catch (const ScenarioError& error) {
    blamed.fail(error.what());
  }
}

}  // namespace

CheckedCluster read_cluster(const InputNode& node) {
  node.allow_keys(keys_of("cluster"));
  CheckedCluster cluster;
  ClusterSpec& spec = cluster.spec;
  spec.name = node.require("name", "a text").text();
  if (const auto source = node.find("source")) spec.source = source->text();
  NamedCables named;
  if (const auto links = node.find("links")) named = read_named_cables(*links);
  const InputNode types = node.require("node_types", "a map of node types");
  for (const auto& [name, type] : types.entries()) {
    spec.node_types.push_back(read_node_type(name, type, named));
  }
  read_nodes(node, spec);
  const auto fabric = node.find("fabric");
  if (!fabric && extent_of(spec).nodes > 1) {
    node.require("fabric", fmt::format("one that joins the {} nodes", extent_of(spec).nodes));
  }
  if (fabric) read_fabric(*fabric, named, spec);
  cluster.gpus = checked_gpus(spec, fabric.value_or(types));
  return cluster;
}

ClusterSpec read_cluster(const std::filesystem::path& file) {
  return read_cluster(read_yaml(file)).spec;
}

}  // namespace ringcast
