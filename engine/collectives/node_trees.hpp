#pragma once

#include "engine/collectives/pipelined_tree.hpp"
#include "engine/schedule/node_groups.hpp"

namespace ringcast {

/// A node's place in one tree of the double binary tree over the nodes (schedule/double_tree.hpp),
/// as links between heads. The head of a node is its rank at `position`, modulo its number of
/// ranks. `height_below`: the greatest height of a head within its own node.
[[nodiscard]] TreeLinks head_links(int tree, int node, const NodeGroups& nodes, int position,
                                   int height_below);

}  // namespace ringcast
