#include "topology/routes/cable_graph.hpp"

#include <numeric>
#include <utility>

#include "topology/cluster/index.hpp"
#include "topology/routes/crossing_cost.hpp"

namespace ringcast::detail {

CableGraph::CableGraph(const Cluster& cluster, const std::function<bool(int vertex)>& has)
    : begin_(cluster.vertices.size() + 1) {
  const auto for_each_edge = [&](const auto& visit) {
    for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
      const auto [a, b] = std::pair{cluster.cables[i].a, cluster.cables[i].b};
      if (!has(a) || !has(b)) continue;
      visit(a, b, LinkId{static_cast<int>(2 * i)});
      visit(b, a, LinkId{static_cast<int>(2 * i + 1)});
    }
  };
  for_each_edge([&](int from, int /*to*/, LinkId /*link*/) { ++begin_[index(from) + 1]; });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  edges_.resize(begin_.back());
  std::vector<std::size_t> next = begin_;
  for_each_edge([&](int from, int to, LinkId link) {
    const auto kind_of = [&](int at) { return cluster.vertices[index(at)].kind; };
    edges_[next[index(from)]++] = {to, link, crossing_cost(kind_of(from), kind_of(to))};
  });
}

std::span<const CableGraph::Edge> CableGraph::edges_from(int vertex) const {
  const std::size_t begin = begin_[index(vertex)];
  return std::span{edges_}.subspan(begin, begin_[index(vertex) + 1] - begin);
}

}  // namespace ringcast::detail
