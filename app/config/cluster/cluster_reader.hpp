#pragma once

#include <filesystem>

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Reads the map of a cluster file, or of a scenario's own `cluster`. Errors of the whole graph (an
/// unreachable GPU, a fat tree that is too small) are reported at the position of the node type
/// that they name, else of `fabric`, or of `node_types` if there is no fabric.
[[nodiscard]] ClusterSpec read_cluster(const InputNode& node);
[[nodiscard]] ClusterSpec read_cluster(const std::filesystem::path& file);

}  // namespace ringcast
