#pragma once

#include "engine/collectives/pipelined_tree.hpp"
#include "engine/schedule/node_groups.hpp"

namespace ringcast {

/// A node's place in one tree of the double binary tree over the nodes (schedule/double_tree.hpp),
/// as links between the ranks at one position of each node, modulo its number of ranks: its heads.
/// `height_below` is the height of heads within their own nodes, of the highest.
[[nodiscard]] TreeLinks head_links(int tree, int node, const NodeGroups& nodes, int position,
                                   int height_below);

}  // namespace ringcast
