#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Builds the first nodes of a cluster, with at least `ranks` ranks, and their part of the fabric.
/// Names, and routes between these nodes, are as in build_cluster(spec). Throws what that throws
/// for these nodes and the whole fabric. If the fabric is listed cable by cable, the whole cluster
/// is built.
[[nodiscard]] Cluster build_part(const ClusterSpec& spec, int ranks);

[[nodiscard]] int count_nodes(const ClusterSpec& spec);
/// The host of each node; empty: they have no names.
[[nodiscard]] std::vector<std::string> hosts_of_nodes(const ClusterSpec& spec);
/// The node of each rank, and the number of ranks, without building the cluster. Throw
/// ScenarioError for invalid node types, like build_cluster().
[[nodiscard]] std::vector<int> nodes_of_ranks(const ClusterSpec& spec);
[[nodiscard]] int count_ranks(const ClusterSpec& spec);

}  // namespace ringcast
