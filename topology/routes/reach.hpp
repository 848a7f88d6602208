#pragma once

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// True if every rank reaches one common connected part of the fabric (or of the node, if all ranks
/// are in one) through its own node: then all pairs are connected, and no pair needs a search.
/// False is inconclusive.
[[nodiscard]] bool all_ranks_meet(const Cluster& cluster);

}  // namespace ringcast::detail
