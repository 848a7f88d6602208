#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// A cluster that was read, and built once for validation.
struct CheckedCluster {
  ClusterSpec spec;
  int gpus = 0;
};

/// Reads the map of a cluster file, or of a scenario's own `cluster`. Errors of the whole graph (an
/// unreachable GPU, a fat tree that is too small) are reported at the position of the node type
/// that they name, else of `fabric`, or of `node_types` if there is no fabric.
[[nodiscard]] CheckedCluster read_checked_cluster(const InputNode& node);

}  // namespace ringcast
