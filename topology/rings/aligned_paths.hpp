#pragma once

#include <map>
#include <vector>

namespace ringcast::detail {

/// A path through a node, by indices of the node's list of ranks.
using NodePath = std::vector<int>;

/// Reorders the paths of each shape of nodes so that path i of all shapes begins and ends at GPUs
/// of the same numbers, where there are such: then ring i keeps to its rails. All shapes get as
/// many paths as the shape with the most paths, some of them repeated; paths that no shape repeats
/// come first.
void align_paths(std::map<int, std::vector<NodePath>>& paths_of_shapes);

}  // namespace ringcast::detail
