#pragma once

#include <string>

#include "topology/import/ib_network.hpp"

namespace ringcast {

/// The network in Slurm's topology.yaml (Slurm 25.05 and later: a list of topologies of kind tree,
/// block or flat), as slurm_network() has it. Takes the topology with `cluster_default: true`, else
/// the first; a remark says so where there are several. Throws ScenarioError as InputNode does, and
/// for a flat topology, which says nothing of the network.
[[nodiscard]] IbNetwork read_slurm_yaml(const std::string& name, const std::string& text);

}  // namespace ringcast
