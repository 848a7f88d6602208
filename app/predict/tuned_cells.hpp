#pragma once

#include <vector>

#include "app/config/scenario/plan.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// Completes cells whose rings or algorithm depend on the topology: the rings of NCCL's channels,
/// or those that a search finds, and where the transport has a tuner, the algorithm and protocol
/// that it chooses for the cell's size (for a given algorithm the protocol only). Refuses cells
/// with an algorithm that the machine cannot run, or with more channels than there are rings.
void complete_as_nccl(std::vector<PlannedCell>& cells, const Scenario& scenario,
                      const Topology& topology);

/// Replaces cells whose algorithm is still `auto` by alternatives, one for each algorithm that any
/// machine can run well: rings, a tree, halving-doubling, all-to-all.
[[nodiscard]] std::vector<PlannedCell> with_alternatives(std::vector<PlannedCell> cells);

}  // namespace ringcast
