#include "topology/rings/job_nodes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "topology/cluster/index.hpp"
#include "topology/routes/fabric_levels.hpp"

namespace ringcast::detail {

namespace {

/// The part of a vertex's name that is the same in each node.
std::string_view local_name(const Vertex& vertex) {
  return std::string_view{vertex.name}.substr(vertex.name.rfind('.') + 1);
}

/// A device: its name in the node, the rates of its memory and of its reads of staged data, and
/// what determines P2P.
using Device = std::tuple<std::string_view, double, double, bool, bool, bool>;

Device device_at(const Vertex& vertex) {
  return {local_name(vertex), vertex.memory.value(), vertex.staging_bandwidth.value(),
          vertex.amd,         vertex.on_board,       vertex.gpudirect};
}

/// Ends, by their numbers in the node, rates and latency; and the class.
using CableOfNode = std::pair<std::array<double, 7>, std::string_view>;

/// What distinguishes a node from others. Node types with different names may have equal shapes.
struct Shape {
  std::vector<std::string_view> ranks;
  std::vector<Device> devices;
  std::vector<CableOfNode> cables;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// gpu2 before gpu10
bool is_before(const Vertex& a, const Vertex& b) {
  const std::string_view first = local_name(a);
  const std::string_view second = local_name(b);
  return std::pair{first.size(), first} < std::pair{second.size(), second};
}

/// The vertices of each node of the job, by node number, sorted by name because a job may number
/// the GPUs in any order. Other nodes, of which a large cluster has many, have none.
std::vector<std::vector<int>> vertices_of_nodes(const Cluster& cluster,
                                                const std::vector<JobNode>& nodes) {
  std::vector<bool> wanted;
  for (const JobNode& each : nodes) {
    wanted.resize(std::max(wanted.size(), index(each.node) + 1));
    wanted[index(each.node)] = true;
  }
  std::vector<std::vector<int>> vertices(wanted.size());
  for (int at = 0; index(at) < cluster.vertices.size(); ++at) {
    const int node = cluster.vertices[index(at)].node;
    if (node >= 0 && index(node) < wanted.size() && wanted[index(node)]) {
      vertices[index(node)].push_back(at);
    }
  }
  for (std::vector<int>& each : vertices) {
    std::ranges::sort(each, [&](int a, int b) {
      return is_before(cluster.vertices[index(a)], cluster.vertices[index(b)]);
    });
  }
  return vertices;
}

/// Adds the cables of the nodes whose vertices have a `number`, counted from 0 in each node; -1:
/// not of the job.
void add_cables(const Cluster& cluster, const std::vector<int>& number,
                std::vector<Shape>& shapes) {
  const auto add = [&](const Cable& cable, int node) {
    const auto number_there = [&](int vertex) {
      return cluster.vertices[index(vertex)].node == node ? number[index(vertex)] : -1;
    };
    const double first = number_there(cable.a);
    const double second = number_there(cable.b);
    shapes[index(node)].cables.push_back(
        {{std::min(first, second), std::max(first, second), cable.bandwidth.value(),
          cable.peer_bandwidth.value(), cable.both_ways.value(), cable.kernel_bandwidth.value(),
          cable.latency.count()},
         cable.base_class});
  };
  for (const Cable& cable : cluster.cables) {
    const int a = cluster.vertices[index(cable.a)].node;
    const int b = cluster.vertices[index(cable.b)].node;
    if (number[index(cable.a)] >= 0) {
      add(cable, a);
    }
    if (number[index(cable.b)] >= 0 && b != a) {
      add(cable, b);
    }
  }
  for (Shape& shape : shapes) {
    std::ranges::sort(shape.cables);
  }
}

/// The shapes of some nodes, at their numbers in the cluster.
std::vector<Shape> shapes_of_nodes(const Cluster& cluster, const std::vector<JobNode>& nodes) {
  const std::vector<std::vector<int>> vertices = vertices_of_nodes(cluster, nodes);
  std::vector<Shape> shapes(vertices.size());
  std::vector<int> number(cluster.vertices.size(), -1);
  for (std::size_t node = 0; node < vertices.size(); ++node) {
    for (const int at : vertices[node]) {
      number[index(at)] = static_cast<int>(shapes[node].devices.size());
      shapes[node].devices.push_back(device_at(cluster.vertices[index(at)]));
    }
  }
  add_cables(cluster, number, shapes);
  return shapes;
}

}  // namespace

const Vertex& place_of(const TransferPaths& paths, Rank rank) {
  return paths.topology().cluster().vertices[index(paths.places().at(index(index_of(rank))))];
}

std::vector<int> numbers_of(const std::vector<JobNode>& nodes) {
  std::vector<int> numbers;
  numbers.reserve(nodes.size());
  for (const JobNode& each : nodes)
    numbers.push_back(each.node);
  return numbers;
}

std::set<int> amd_nodes(const Cluster& cluster) {
  std::set<int> nodes;
  for (const Vertex& vertex : cluster.vertices)
    if (vertex.amd) nodes.insert(vertex.node);
  return nodes;
}

std::vector<JobNode> job_nodes(const TransferPaths& paths) {
  std::vector<JobNode> nodes;
  std::map<int, std::size_t> position;
  for (int i = 0; i < paths.ranks(); ++i) {
    const auto [known, is_new] = position.try_emplace(paths.node_of(Rank{i}), nodes.size());
    if (is_new) {
      nodes.push_back({place_of(paths, Rank{i}).node, {}, 0});
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
    for (const Rank rank : node.ranks)
      shape.ranks.push_back(local_name(place_of(paths, rank)));
    node.shape = known.try_emplace(std::move(shape), static_cast<int>(known.size())).first->second;
  }
  return nodes;
}

std::vector<JobNode> by_groups(const Topology& topology, std::vector<JobNode> nodes) {
  std::ranges::sort(nodes, {}, &JobNode::node);
  std::vector<std::pair<std::vector<std::size_t>, std::size_t>> keys(nodes.size());
  for (const auto& groups : fabric_levels(topology, numbers_of(nodes))) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const std::size_t node : groups[group].nodes) {
        keys[node].first.insert(keys[node].first.begin(), group);
      }
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    keys[i].second = i;
  }
  std::ranges::sort(keys);
  std::vector<JobNode> ordered;
  ordered.reserve(nodes.size());
  for (const auto& [groups, node] : keys) {
    ordered.push_back(std::move(nodes[node]));
  }
  return ordered;
}

}  // namespace ringcast::detail
