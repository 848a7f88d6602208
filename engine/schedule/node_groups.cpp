#include "engine/schedule/node_groups.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/numbers/error.hpp"

namespace ringcast {

NodeGroups::NodeGroups(const RingOrder& order, const std::vector<int>& node_of)
    : places_(static_cast<std::size_t>(order.size())) {
  expect(node_of.empty() || node_of.size() == places_.size(), "the nodes of {} of {} ranks",
         node_of.size(), places_.size());
  std::map<int, int> places_of_nodes;
  for (const Rank rank : order.ranks()) {
    const auto index = static_cast<std::size_t>(index_of(rank));
    const int number = node_of.empty() ? 0 : node_of[index];
    const int node = places_of_nodes.try_emplace(number, count()).first->second;
    if (node == count()) {
      nodes_.emplace_back();
    }
    std::vector<Rank>& ranks = nodes_[static_cast<std::size_t>(node)];
    places_[index] = {node, static_cast<int>(ranks.size())};
    ranks.push_back(rank);
    widest_ = std::max(widest_, static_cast<int>(ranks.size()));
  }
}

RingOrder enter_nodes_alike(const RingOrder& ring, const NodeGroups& nodes) {
  std::vector<Rank> order{ring.ranks().begin(), ring.ranks().end()};
  const int entry = nodes.place_of(order.front()).position;
  for (auto begin = order.begin(); begin != order.end();) {
    const int node = nodes.place_of(*begin).node;
    const auto end = std::find_if(begin, order.end(),
                                  [&](Rank rank) { return nodes.place_of(rank).node != node; });
    const auto found =
        std::find_if(begin, end, [&](Rank rank) { return nodes.place_of(rank).position == entry; });
    if (found == std::prev(end)) {
      std::reverse(begin, end);
    } else {
      std::rotate(begin, found, end);  // not at all in a node without such a GPU
    }
    begin = end;
  }
  return RingOrder{std::move(order)};
}

}  // namespace ringcast
