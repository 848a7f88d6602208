#pragma once

#include <map>
#include <vector>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// A path through a node, by indices of the node's list of ranks.
using NodePath = std::vector<int>;

/// Reorders the paths of each shape of nodes so that path i of all shapes begins and ends at GPUs
/// of the same numbers, if there are such paths: ring i then stays on its rails. All shapes get as
/// many paths as the shape with the most paths, some of them repeated; paths that no shape repeats
/// come first.
void align_paths(std::map<int, std::vector<NodePath>>& paths_of_shapes);

/// By ring, then by node: the ranks that a ring visits there.
using RingPaths = std::vector<std::vector<std::vector<Rank>>>;

/// Closes rings whose last hop changes rails, as it does after an odd number of nodes. The last two
/// nodes take a third rail between them, another one for each ring:
///
///   node 0:  0 ... 1     node 1:  1 ... 2     node 2:  2 ... 0
///
/// Applied only if the NICs of that hop are farther from their GPUs than those of the first, every
/// ring finds a free third GPU, and NVSwitches carry any order of a node's GPUs at the same rate.
/// NCCL instead leaves by the NIC of the rail at which a ring arrives, over NVLink (PXN), at the
/// same rate.
void close_over_third_rail(const TransferPaths& paths, RingPaths& rings);

}  // namespace ringcast::detail
