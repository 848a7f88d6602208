#pragma once

#include <span>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast::detail {

/// Nodes of a job that some switches connect, and the cables from them to other groups.
struct FabricGroup {
  std::vector<std::size_t> nodes;  // positions among the job's nodes
  std::vector<LinkId> out;         // directions of cables from the group to the rest of the fabric
};

/// The nested groups of a job's nodes, smallest first: nodes of one leaf, of one pod, ... A switch
/// is on level l if its nearest node is l + 1 cables away. The groups of step 0 are nodes that
/// share switches; those of step l + 1 are connected by cables between switches up to level l. A
/// step is omitted if it equals the one before or has a single group.
[[nodiscard]] std::vector<std::vector<FabricGroup>> fabric_levels(const Topology& topology,
                                                                  std::span<const int> nodes);

}  // namespace ringcast::detail
