#include "topology/job_nodes.hpp"

#include <map>
#include <string>

#include "topology/index.hpp"

namespace ringcast::detail {

namespace {

/// What distinguishes a node from others: its type, the places of its ranks, the rates of its
/// cables and memories.
struct Shape {
  std::string type;
  std::vector<double> numbers;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// Collects the numbers of all nodes in one pass over the cluster. Vertices are numbered from the
/// first of their node; -1 is outside.
std::vector<Shape> shapes_of_nodes(const Cluster& cluster) {
  std::vector<Shape> shapes;
  std::vector<int> first;
  for (int at = 0; index(at) < cluster.vertices.size(); ++at) {
    const Vertex& vertex = cluster.vertices[index(at)];
    if (vertex.node < 0) {
      continue;
    }
    while (shapes.size() <= index(vertex.node)) {
      const std::size_t node = shapes.size();
      shapes.push_back(
          {node < cluster.node_types.size() ? cluster.node_types[node] : std::to_string(node), {}});
      first.push_back(at);
    }
    shapes[index(vertex.node)].numbers.push_back(vertex.memory.value());
  }
  for (const Cable& cable : cluster.cables) {
    const int a = cluster.vertices[index(cable.a)].node;
    const int b = cluster.vertices[index(cable.b)].node;
    for (const int node : {a, a == b ? -1 : b}) {
      if (node < 0) {
        continue;
      }
      const auto number = [&](int vertex) {
        return cluster.vertices[index(vertex)].node == node ? vertex - first[index(node)] : -1;
      };
      for (const double value : {1.0 * number(cable.a), 1.0 * number(cable.b),
                                 cable.bandwidth.value(), cable.peer_bandwidth.value(),
                                 cable.both_ways.value(), cable.kernel_bandwidth.value()}) {
        shapes[index(node)].numbers.push_back(value);
      }
    }
  }
  return shapes;
}

}  // namespace

const Vertex& place_of(const TransferPaths& paths, Rank rank) {
  return paths.topology().cluster().vertices[index(paths.places().at(index(index_of(rank))))];
}

std::vector<JobNode> job_nodes(const TransferPaths& paths) {
  std::vector<JobNode> nodes;
  std::map<int, std::size_t> position;
  std::vector<Shape> shapes = shapes_of_nodes(paths.topology().cluster());
  for (int i = 0; i < paths.ranks(); ++i) {
    const Vertex& place = place_of(paths, Rank{i});
    const auto [known, is_new] = position.try_emplace(place.node, nodes.size());
    if (is_new) {
      nodes.push_back({place.node, {}, 0});
    }
    nodes[known->second].ranks.push_back(Rank{i});
    const std::size_t dot = place.name.find('.');
    shapes[index(place.node)].type += " " + place.name.substr(dot + 1);
  }
  std::map<Shape, int> known;
  for (JobNode& node : nodes) {
    node.shape =
        known.try_emplace(std::move(shapes[index(node.node)]), static_cast<int>(known.size()))
            .first->second;
  }
  return nodes;
}

}  // namespace ringcast::detail
