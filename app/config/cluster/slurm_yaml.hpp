#pragma once

#include <string>

#include "topology/import/ib_network.hpp"

namespace ringcast {

/// The network of Slurm's topology.yaml (Slurm 25.05 and later: a list of topologies of kind tree,
/// block or flat), as slurm_network() returns it. Uses the tree or block topology with
/// `cluster_default: true`, else the first one, and adds a remark if there are several topologies.
/// Throws ScenarioError as InputNode does, and if all topologies are flat, which do not describe
/// the network.
[[nodiscard]] IbNetwork read_slurm_yaml(const std::string& name, const std::string& text);

}  // namespace ringcast
