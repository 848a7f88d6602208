#include "topology/routes/reach.hpp"

#include <algorithm>
#include <set>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

using Parts = std::vector<std::size_t>;  // the part that each vertex belongs to

/// Connected components of the nodes, and of the fabric, without the ranks.
Parts parts_of(const Cluster& cluster) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(
      cluster.vertices.size());
  for (const Cable& cable : cluster.cables) {
    const Vertex& a = cluster.vertices[index(cable.a)];
    const Vertex& b = cluster.vertices[index(cable.b)];
    if (a.node == b.node && !is_rank(a.kind) && !is_rank(b.kind)) {
      boost::add_edge(index(cable.a), index(cable.b), graph);
    }
  }
  Parts parts(cluster.vertices.size());
  boost::connected_components(graph, parts.data());
  return parts;
}

/// Calls visit(from, to) for both directions of each cable.
template <typename Visit>
void for_each_direction(const Cluster& cluster, const Visit& visit) {
  for (const Cable& cable : cluster.cables) {
    visit(index(cable.a), index(cable.b));
    visit(index(cable.b), index(cable.a));
  }
}

using PartSets = std::vector<std::set<std::size_t>>;

/// The parts of the fabric that each part of a node is cabled to.
PartSets parts_beyond(const Cluster& cluster, const Parts& parts) {
  PartSets beyond(parts.size());
  for_each_direction(cluster, [&](std::size_t from, std::size_t to) {
    const Vertex& near = cluster.vertices[from];
    const bool leaves_node = near.node >= 0 && cluster.vertices[to].node < 0;
    if (leaves_node && !is_rank(near.kind)) {
      beyond[parts[from]].insert(parts[to]);
    }
  });
  return beyond;
}

/// The parts that each rank reaches through its own node.
PartSets parts_met(const Cluster& cluster, const Parts& parts) {
  const PartSets beyond = parts_beyond(cluster, parts);
  PartSets met(parts.size());
  for_each_direction(cluster, [&](std::size_t from, std::size_t to) {
    const Vertex& rank = cluster.vertices[from];
    const Vertex& other = cluster.vertices[to];
    if (!is_rank(rank.kind) || is_rank(other.kind)) {
      return;
    }
    met[from].insert(parts[to]);
    if (rank.node == other.node) {
      met[from].insert(beyond[parts[to]].begin(), beyond[parts[to]].end());
    }
  });
  return met;
}

}  // namespace

bool all_ranks_meet(const Cluster& cluster) {
  const Parts parts = parts_of(cluster);
  const PartSets met = parts_met(cluster, parts);
  std::vector<std::size_t> ranks_at(parts.size());
  std::size_t ranks = 0;
  std::set<int> nodes;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    if (is_rank(cluster.vertices[vertex].kind)) {
      ++ranks;
      nodes.insert(cluster.vertices[vertex].node);
    }
    for (const std::size_t part : met[vertex]) {
      ++ranks_at[part];
    }
  }
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    const Vertex& meeting = cluster.vertices[vertex];
    const bool shared_by_all = nodes.size() <= 1 || meeting.node < 0;
    if (!is_rank(meeting.kind) && shared_by_all && ranks_at[parts[vertex]] == ranks) {
      return true;
    }
  }
  return false;
}

}  // namespace ringcast::detail
