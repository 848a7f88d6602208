#include "engine/collectives/node_trees.hpp"

#include <algorithm>

#include "engine/schedule/double_tree.hpp"

namespace ringcast {
namespace {

int height_in(int tree, int node, int nodes) {
  int height = 0;
  for (const int child : place_in_double_tree(tree, node, nodes).children) {
    height = std::max(height, 1 + height_in(tree, child, nodes));
  }
  return height;
}

}  // namespace

TreeLinks head_links(int tree, int node, const NodeGroups& nodes, int position, int height_below) {
  const auto head_of = [&](int of) {
    const auto ranks = nodes.ranks_of(of);
    return ranks[static_cast<std::size_t>(position) % ranks.size()];
  };
  const int count = nodes.count();
  const TreePlace place = place_in_double_tree(tree, node, count);
  TreeLinks links;
  for (const int child : place.children) {
    links.children.push_back(head_of(child));
  }
  links.height = height_in(tree, node, count) + height_below;
  if (place.parent) {
    links.parent = head_of(*place.parent);
    links.parent_height = height_in(tree, *place.parent, count) + height_below;
  }
  int root = node;
  for (auto above = place.parent; above; above = place_in_double_tree(tree, root, count).parent) {
    root = *above;
    ++links.depth;
  }
  links.root_height = height_in(tree, root, count) + height_below;
  return links;
}

}  // namespace ringcast
