#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// The first nodes of a cluster, those of its first `ranks` ranks at least, and the part of the
/// fabric that they use, with the names, and routes between these nodes, of build_cluster(spec). It
/// throws what that throws for these nodes and the whole fabric. The whole cluster where the fabric
/// is listed cable by cable.
[[nodiscard]] Cluster build_part(const ClusterSpec& spec, int ranks);

[[nodiscard]] int count_nodes(const ClusterSpec& spec);
/// The ranks of the cluster, which is not built. Throws ScenarioError for a node type that
/// build_cluster() refuses.
[[nodiscard]] int count_ranks(const ClusterSpec& spec);

}  // namespace ringcast
