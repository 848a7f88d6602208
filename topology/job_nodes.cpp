#include "topology/job_nodes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "topology/index.hpp"

namespace ringcast::detail {

namespace {

/// What distinguishes a node from others: its type, the places of its ranks, the rates of its
/// memories and cables.
struct Shape {
  std::string type;
  std::vector<double> memories;
  std::vector<std::array<double, 6>> cables;  // ends, by their numbers in the node, and rates
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// The part of a vertex's name that is the same in each node.
std::string_view local_name(const Vertex& vertex) {
  return std::string_view{vertex.name}.substr(vertex.name.find('.') + 1);
}

/// gpu2 before gpu10
bool is_before(const Vertex& a, const Vertex& b) {
  const std::string_view first = local_name(a);
  const std::string_view second = local_name(b);
  return std::pair{first.size(), first} < std::pair{second.size(), second};
}

/// The shapes of some nodes, by their numbers in the cluster; empty ones of the others, which a
/// large cluster has many of. Vertices of nodes by name, since a job may number the GPUs in any
/// order.
std::vector<Shape> shapes_of_nodes(const Cluster& cluster, const std::vector<JobNode>& nodes) {
  std::vector<bool> wanted;
  for (const JobNode& each : nodes) {
    wanted.resize(std::max(wanted.size(), index(each.node) + 1));
    wanted[index(each.node)] = true;
  }
  const auto is_wanted = [&wanted](int node) {
    return node >= 0 && index(node) < wanted.size() && wanted[index(node)];
  };
  std::vector<std::vector<int>> vertices(wanted.size());
  for (int at = 0; index(at) < cluster.vertices.size(); ++at) {
    if (const int node = cluster.vertices[index(at)].node; is_wanted(node)) {
      vertices[index(node)].push_back(at);
    }
  }
  std::vector<Shape> shapes(vertices.size());
  std::vector<int> number(cluster.vertices.size(), -1);
  for (std::size_t node = 0; node < vertices.size(); ++node) {
    std::ranges::sort(vertices[node], [&](int a, int b) {
      return is_before(cluster.vertices[index(a)], cluster.vertices[index(b)]);
    });
    const bool typed = node < cluster.node_types.size();
    shapes[node].type = typed ? cluster.node_types[node] : std::to_string(node);
    for (const int at : vertices[node]) {
      number[index(at)] = static_cast<int>(shapes[node].memories.size());
      shapes[node].memories.push_back(cluster.vertices[index(at)].memory.value());
    }
  }
  for (const Cable& cable : cluster.cables) {
    const int a = cluster.vertices[index(cable.a)].node;
    const int b = cluster.vertices[index(cable.b)].node;
    for (const int node : {a, a == b ? -1 : b}) {
      if (is_wanted(node)) {
        const double first = node == a ? number[index(cable.a)] : -1;
        const double second = node == b ? number[index(cable.b)] : -1;
        shapes[index(node)].cables.push_back({std::min(first, second), std::max(first, second),
                                              cable.bandwidth.value(), cable.peer_bandwidth.value(),
                                              cable.both_ways.value(),
                                              cable.kernel_bandwidth.value()});
      }
    }
  }
  for (Shape& shape : shapes) {
    std::ranges::sort(shape.cables);
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
  for (int i = 0; i < paths.ranks(); ++i) {
    const int node = place_of(paths, Rank{i}).node;
    const auto [known, is_new] = position.try_emplace(node, nodes.size());
    if (is_new) {
      nodes.push_back({node, {}, 0});
    }
    nodes[known->second].ranks.push_back(Rank{i});
  }
  const std::vector<Shape> shapes = shapes_of_nodes(paths.topology().cluster(), nodes);
  std::map<Shape, int> known;
  for (JobNode& node : nodes) {
    std::ranges::stable_sort(node.ranks, [&](Rank a, Rank b) {
      return is_before(place_of(paths, a), place_of(paths, b));
    });
    Shape shape = shapes[index(node.node)];
    for (const Rank rank : node.ranks) {
      shape.type += " ";
      shape.type += local_name(place_of(paths, rank));
    }
    node.shape = known.try_emplace(std::move(shape), static_cast<int>(known.size())).first->second;
  }
  return nodes;
}

}  // namespace ringcast::detail
