#include "topology/reach.hpp"

#include <algorithm>
#include <set>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>

namespace ringcast::detail {

namespace {

using Parts = std::vector<std::size_t>;  // the part that each vertex belongs to

std::size_t index(int vertex) {
  return static_cast<std::size_t>(vertex);
}

/// Parts of nodes, and of the fabric, that hang together without passing through a GPU.
Parts parts_of(const Cluster& cluster) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(
      cluster.vertices.size());
  for (const Cable& cable : cluster.cables) {
    const Vertex& a = cluster.vertices[index(cable.a)];
    const Vertex& b = cluster.vertices[index(cable.b)];
    if (a.node == b.node && a.kind != VertexKind::gpu && b.kind != VertexKind::gpu) {
      boost::add_edge(index(cable.a), index(cable.b), graph);
    }
  }
  Parts parts(cluster.vertices.size());
  boost::connected_components(graph, parts.data());
  return parts;
}

/// Calls visit(from, to) for both directions of each cable.
template <typename Visit>
void each_way(const Cluster& cluster, const Visit& visit) {
  for (const Cable& cable : cluster.cables) {
    visit(index(cable.a), index(cable.b));
    visit(index(cable.b), index(cable.a));
  }
}

}  // namespace

bool all_gpus_meet(const Cluster& cluster) {
  const Parts parts = parts_of(cluster);
  const auto is_gpu = [&](std::size_t v) { return cluster.vertices[v].kind == VertexKind::gpu; };
  const auto node_of = [&](std::size_t v) { return cluster.vertices[v].node; };
  std::vector<std::set<std::size_t>> beyond(parts.size());  // the parts next to a part of a node
  std::vector<std::set<std::size_t>> met(parts.size());     // the parts that each GPU reaches
  each_way(cluster, [&](std::size_t from, std::size_t to) {
    if (!is_gpu(from) && !is_gpu(to) && node_of(from) >= 0 && node_of(to) < 0) {
      beyond[parts[from]].insert(parts[to]);
    }
  });
  each_way(cluster, [&](std::size_t from, std::size_t to) {
    if (is_gpu(from) && !is_gpu(to)) {
      met[from].insert(parts[to]);
      if (node_of(from) == node_of(to)) {
        met[from].insert(beyond[parts[to]].begin(), beyond[parts[to]].end());
      }
    }
  });

  std::vector<std::size_t> gpus_at(parts.size());
  std::size_t gpus = 0;
  std::set<int> nodes;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    if (is_gpu(vertex)) {
      ++gpus;
      nodes.insert(node_of(vertex));
      for (const std::size_t part : met[vertex]) {
        ++gpus_at[part];
      }
    }
  }
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    const bool shared_by_all = nodes.size() <= 1 || node_of(vertex) < 0;
    if (!is_gpu(vertex) && shared_by_all && gpus_at[parts[vertex]] == gpus) {
      return true;
    }
  }
  return false;
}

}  // namespace ringcast::detail
