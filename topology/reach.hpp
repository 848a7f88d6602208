#pragma once

#include "topology/cluster.hpp"

namespace ringcast::detail {

/// True if there is one connected part of the fabric (or, where all ranks are in one node, of
/// that node) that each rank reaches through its own node: then any two reach each other, and no
/// pair needs a search of its own. False says nothing.
[[nodiscard]] bool all_ranks_meet(const Cluster& cluster);

}  // namespace ringcast::detail
