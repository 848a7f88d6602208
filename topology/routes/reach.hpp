#pragma once

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// True if all ranks reach one connected component of the fabric (or of the node, if all ranks are
/// in one), each through its own node. Then all pairs are connected, and none needs a search. False
/// is inconclusive.
[[nodiscard]] bool all_ranks_meet(const Cluster& cluster);

}  // namespace ringcast::detail
