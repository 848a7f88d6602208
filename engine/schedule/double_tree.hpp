#pragma once

#include <optional>
#include <vector>

namespace ringcast {

/// A position's neighbours in one of the trees.
struct TreePlace {
  std::optional<int> parent;
  std::vector<int> children;  // at most two
  int height = 0;             // of the subtree, in links

  friend bool operator==(const TreePlace&, const TreePlace&) = default;
};

/// The two-tree of Sanders, Speck and Traeff 2009 ("Two-tree algorithms for full bandwidth
/// broadcast, reduction and scan"): two binary trees over all positions, such that no position has
/// children in both, so that half of the buffer through each keeps every cable busy.
/// The first tree is numbered in order, so that every other position is a leaf; the second is its
/// mirror image if the size is even, and the first shifted by one position if it is odd.
/// Throws ContractViolation unless `tree` is 0 or 1 and 0 <= position < size.
[[nodiscard]] TreePlace place_in_double_tree(int tree, int position, int size);

}  // namespace ringcast
