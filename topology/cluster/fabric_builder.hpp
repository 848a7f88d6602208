#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// The NICs of each node, as vertices of the cluster. NICs of nodes that are not built
/// (build_part()) have indices past the last vertex, and no cables.
using NicsOfNodes = std::vector<std::vector<int>>;

/// Each adds switches and cables to a cluster that has all nodes or the first ones. Throws
/// ScenarioError as build_cluster() does.
void add_single_switch(const SingleSwitchSpec& spec, const NicsOfNodes& nics, Cluster& cluster);
void add_fat_tree(const FatTreeSpec& spec, const NicsOfNodes& nics, Cluster& cluster);
/// The smallest number of nodes, at least `least`, whose NICs fill all their leaves; or all nodes.
/// The NICs of later nodes then change no number by which routes are chosen (Spread).
[[nodiscard]] std::size_t nodes_of_full_leaves(const FatTreeSpec& spec, const NicsOfNodes& nics,
                                               std::size_t least);
void add_explicit_fabric(const ExplicitFabricSpec& spec, Cluster& cluster);

/// Adds a network switch and returns its vertex.
int add_switch(const std::string& name, Cluster& cluster);
/// Adds `count` switches, named `kind` followed by a running number.
std::vector<int> add_switches(std::string_view kind, int first, int count, Cluster& cluster);
/// Throws ScenarioError if a node has fewer NICs than rails.
void check_rails(int rails, const NicsOfNodes& nics);

}  // namespace ringcast::detail
