// The largest connected piece of a network.
#include <algorithm>
#include <map>
#include <numeric>

#include "topology/cluster/index.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast {

namespace {

/// The connected piece that each node belongs to: union-find over the cables.
std::vector<std::size_t> pieces_of(const IbNetwork& network) {
  std::vector<std::size_t> root(network.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&root](std::size_t node) {
    while (root[node] != node) {
      node = root[node] = root[root[node]];
    }
    return node;
  };
  for (const IbNetwork::Cable& cable : network.cables) {
    root[find(detail::index(cable.a))] = find(detail::index(cable.b));
  }
  for (std::size_t i = 0; i < root.size(); ++i) {
    root[i] = find(i);
  }
  return root;
}

}  // namespace

std::vector<bool> in_main_piece(const IbNetwork& network) {
  const std::vector<std::size_t> pieces = pieces_of(network);
  std::map<std::size_t, int> adapters;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    adapters[pieces[i]] += network.nodes[i].is_switch ? 0 : 1;
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::ranges::max_element(adapters, fewer);
  std::vector<bool> is_in(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    is_in[i] = pieces[i] == most->first;
  }
  return is_in;
}

}  // namespace ringcast
