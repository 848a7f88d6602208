#include "app/config/cluster/cluster_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/cluster/amd_peer_limits.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/cluster/cluster_parts.hpp"
#include "app/config/cluster/host_reader.hpp"
#include "app/config/cluster/nvlink_domains.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "app/config/yaml/file_kind.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/import/host_list.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

namespace {

/// Names as Slurm lists them.
std::vector<std::string> read_hosts(const InputNode& list) {
  static constexpr std::string_view expected = "names of hosts, e.g. gpu[01-08,12]";
  std::vector<std::string> hosts;
  for (const InputNode& item : list.one_or_more()) {
    const std::vector<std::string> names = read_host_list(item, expected);
    if (names.empty()) item.fail("no name", expected);
    const auto odd = std::ranges::find_if_not(names, is_host_name);
    if (odd != names.end()) item.fail(in_quotes(*odd), expected);
    hosts.insert(hosts.end(), names.begin(), names.end());
  }
  return hosts;
}

NodeGroupSpec read_group(const InputNode& node, const std::vector<NodeTypeSpec>& types) {
  node.allow_keys_of("nodes entry");
  NodeGroupSpec group;
  group.type = node.require("type", "a name under node_types")
                   .one_of("node type", names_of(types, &NodeTypeSpec::name));
  if (const auto hosts = node.find("hosts")) group.hosts = read_hosts(*hosts);
  const auto count = node.find("count");
  const int named = static_cast<int>(group.hosts.size());
  group.count = count ? count->count() : std::max(named, 1);
  if (named > 0 && group.count != named) {
    count->fail(fmt::format("{}, but {} under hosts", group.count, counted(named, "name")),
                "no count, or as many names");
  }
  return group;
}

void read_nodes(const InputNode& list, ClusterSpec& cluster) {
  std::int64_t parts = 0;
  std::unordered_set<std::string> hosts;
  for (const InputNode& item : list.items()) {
    const NodeGroupSpec group = read_group(item, cluster.node_types);
    if (!cluster.nodes.empty() && cluster.nodes.front().hosts.empty() != group.hosts.empty()) {
      item.fail("hosts for some of the nodes only", "hosts in each entry, or in none");
    }
    for (const std::string& host : group.hosts) {
      if (!hosts.insert(host).second) {
        item.require("hosts", "").fail(fmt::format("{} is repeated", host), "each host once");
      }
    }
    const auto type = std::ranges::find(cluster.node_types, group.type, &NodeTypeSpec::name);
    parts += group.count * parts_of(*type).total;
    if (parts > most_parts_of_a_cluster) {
      item.fail("too many parts in one cluster",
                fmt::format("at most {} in all", most_parts_of_a_cluster));
    }
    cluster.nodes.push_back(group);
  }
}

std::optional<InputNode> find_fabric(const InputNode& node, int nodes) {
  if (nodes == 1) return node.find("fabric");
  return node.require("fabric", fmt::format("one that joins the {} nodes", nodes));
}

/// The cluster with one node of each type.
ClusterSpec one_of_each_type(ClusterSpec spec) {
  std::vector<NodeGroupSpec> nodes;
  for (const NodeGroupSpec& group : spec.nodes) {
    if (std::ranges::find(nodes, group.type, &NodeGroupSpec::type) == nodes.end()) {
      nodes.push_back({group.type});
    }
  }
  spec.nodes = std::move(nodes);
  spec.job_gpus.clear();
  return spec;
}

/// Throws ScenarioError for a cluster that cannot be built. Builds only a part of it, for speed.
void expect_buildable(const ClusterSpec& spec) {
  const Topology part{build_part(spec, 1)};
  const ClusterSpec few = one_of_each_type(spec);
  if (few.nodes.size() < 2 || spec.explicit_fabric) return;
  try {
    const Topology one_of_each{build_cluster(few)};
  } catch (const ScenarioError&) {
    const Topology whole{build_cluster(spec)};  // for a message with the right numbers of nodes
  }
}

/// Reports a problem of a cluster at the position of its cause.
[[noreturn]] void fail_at_cause(std::string_view problem, const InputNode& types,
                                const std::optional<InputNode>& fabric) {
  constexpr std::string_view of_type = "node type ";
  const std::string_view about =
      problem.starts_with(of_type) ? problem.substr(of_type.size()) : std::string_view{};
  for (const auto& [name, type] : types.entries()) {
    const std::string begin = fmt::format("{}: ", name);
    for (const std::string_view text : {about, without_node_count(about)})
      if (text.starts_with(begin)) type.fail(text.substr(begin.size()));
  }
  const bool lacks_ranks = problem.starts_with("cluster ");
  (lacks_ranks ? types : fabric.value_or(types)).fail(problem);
}

/// HPE's single-socket nodes on Slingshot have an EPYC (Cray EX235n and EX235a: Perlmutter,
/// Polaris, Frontier), unless the file has the key `cpu`.
void assume_vendors(const InputNode& types, const NamedCables& named, ClusterSpec& spec) {
  if (!has_class(link_classes_of(spec), "slingshot-")) return;
  for (const auto& [name, node] : types.entries()) {
    const auto type = std::ranges::find(spec.node_types, name, &NodeTypeSpec::name);
    if (type == spec.node_types.end() || node.find("cpu")) continue;
    if (parts_of(*type).sockets != 1) continue;
    set_amd_processors(*type, named);
  }
}

}  // namespace

ClusterSpec read_cluster(const InputNode& whole) {
  const InputNode node = section_or_whole(whole, "cluster");
  expect_kind(node, "cluster");
  ClusterSpec spec;
  spec.name = node.require("name", "a text").name();
  if (const auto source = node.find("source")) spec.source = source->text();
  NamedCables named;
  if (const auto links = node.find("links")) named = read_named_cables(*links);
  const InputNode types = node.require("node_types", "a map of node types");
  for (const auto& [name, type] : types.entries()) {
    spec.node_types.push_back(read_node_type(name, type, named));
  }
  read_nodes(node.require("nodes", "a list of {type, count}"), spec);
  const int nodes = count_nodes(spec);
  const ClusterSpec as_listed = spec;
  join_nvlink_domains(types, spec);
  // A fabric is optional if NVSwitches join all nodes into one.
  const auto fabric = find_fabric(node, count_nodes(spec) == 1 ? 1 : nodes);
  if (fabric) read_fabric(*fabric, named, as_listed, spec);
  assume_vendors(types, named, spec);
  set_staging_limits(spec);
  try {
    expect_buildable(spec);
  } catch (const ScenarioError& error) {
    fail_at_cause(error.what(), types, fabric);
  }
  return spec;
}

ClusterSpec read_cluster(const std::filesystem::path& file) {
  return read_cluster(read_yaml(file));
}

}  // namespace ringcast
