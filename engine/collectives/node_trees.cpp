#include "engine/collectives/node_trees.hpp"

#include "engine/schedule/double_tree.hpp"

namespace ringcast {

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
  links.height = place.height + height_below;
  TreePlace root = place;
  while (root.parent) {
    root = place_in_double_tree(tree, *root.parent, count);
    if (++links.depth == 1) {
      links.parent = head_of(*place.parent);
      links.parent_height = root.height + height_below;
    }
  }
  links.root_height = root.height + height_below;
  return links;
}

}  // namespace ringcast
