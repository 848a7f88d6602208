#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Reads `gpu` and `gpudirect` of a node type that is read otherwise. Throws ScenarioError for a
/// model that contradicts its links.
void read_gpu_model(const InputNode& node, NodeTypeSpec& type);

}  // namespace ringcast
