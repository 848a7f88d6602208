#pragma once

#include <vector>

#include "topology/rings/job_nodes.hpp"

namespace ringcast::detail {

/// Nodes of a job that some switches join, and the cables that lead out of them.
struct FabricGroup {
  std::vector<std::size_t> nodes;  // positions in job_nodes()
  std::vector<LinkId> out;         // directions of cables from the group to the rest of the fabric
};

/// The nested groups of a job's nodes, smallest first: nodes of one leaf, of one pod, ... A switch
/// is on level l if l + 1 cables lead to the nearest node. The groups of step 0 are nodes that
/// share switches; those of step l + 1 are what cables between switches up to level l join. Steps
/// that equal the one before are left out, as is one group of all.
[[nodiscard]] std::vector<std::vector<FabricGroup>> fabric_levels(
    const Topology& topology, const std::vector<JobNode>& nodes);

}  // namespace ringcast::detail
