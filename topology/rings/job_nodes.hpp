#pragma once

#include <set>
#include <vector>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// The ranks of a job on one node (TransferPaths::nodes()).
struct JobNode {
  int node = 0;             // of the cluster
  std::vector<Rank> ranks;  // in the order of their places
  /// Equal for nodes of equal devices and cables, with ranks at the same places.
  int shape = 0;
};

/// The vertex of a rank.
[[nodiscard]] const Vertex& place_of(const TransferPaths& paths, Rank rank);

/// The numbers of nodes in the cluster.
[[nodiscard]] std::vector<int> numbers_of(const std::vector<JobNode>& nodes);

/// The nodes of the cluster with AMD's processors.
[[nodiscard]] std::set<int> amd_nodes(const Cluster& cluster);

/// Nodes in the order of their first ranks; shapes numbered from 0 in this order.
[[nodiscard]] std::vector<JobNode> job_nodes(const TransferPaths& paths);

/// The nodes sorted by their groups, largest groups first. Groups and their nodes are in the order
/// of the cluster, not of the ranks, so that hops between groups use different uplinks.
[[nodiscard]] std::vector<JobNode> by_groups(const Topology& topology, std::vector<JobNode> nodes);

}  // namespace ringcast::detail
