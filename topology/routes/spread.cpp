#include "topology/routes/spread.hpp"

#include <algorithm>
#include <utility>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// A stride above all numbers of vertices: its digit is zero, and so are those above.
constexpr std::uint64_t beyond_numbers = std::uint64_t{1} << 32U;

/// The neighbours of each vertex over cables with a network switch at one end.
std::vector<std::vector<int>> fabric_neighbours(const Cluster& cluster) {
  std::vector<std::vector<int>> neighbours(cluster.vertices.size());
  const auto is_switch = [&cluster](int vertex) {
    return cluster.vertices[index(vertex)].kind == VertexKind::network_switch;
  };
  for (const Cable& cable : cluster.cables) {
    if (is_switch(cable.a) || is_switch(cable.b)) {
      neighbours[index(cable.a)].push_back(cable.b);
      neighbours[index(cable.b)].push_back(cable.a);
    }
  }
  for (std::vector<int>& of_vertex : neighbours) {
    std::ranges::sort(of_vertex);
    of_vertex.erase(std::unique(of_vertex.begin(), of_vertex.end()), of_vertex.end());
  }
  return neighbours;
}

}  // namespace

Spread::Spread(const Cluster& cluster) : places_(cluster.vertices.size()) {
  const std::vector<std::vector<int>> neighbours = fabric_neighbours(cluster);
  std::uint64_t next_number = 0;
  for (std::size_t vertex = 0; vertex < places_.size(); ++vertex) {
    if (cluster.vertices[vertex].kind != VertexKind::network_switch) {
      continue;
    }
    for (const int neighbour : neighbours[vertex]) {
      const bool is_end = cluster.vertices[index(neighbour)].kind != VertexKind::network_switch;
      if (is_end && places_[index(neighbour)].level < 0) {
        places_[index(neighbour)].level = 0;
        places_[index(neighbour)].number = next_number++;
      }
    }
  }
  climb(neighbours);
}

/// Searches breadth first from the edge of the fabric. A vertex with u neighbours above consumes a
/// digit of base u, so the stride of the level above is u times as large.
void Spread::climb(const std::vector<std::vector<int>>& neighbours) {
  std::vector<int> lower;
  for (std::size_t vertex = 0; vertex < places_.size(); ++vertex) {
    if (places_[vertex].level == 0) {
      lower.push_back(static_cast<int>(vertex));
    }
  }
  while (!lower.empty()) {
    std::vector<std::pair<int, int>> upper;  // each with the first vertex below it
    for (const int below : lower) {
      for (const int above : neighbours[index(below)]) {
        if (places_[index(above)].level < 0) {
          places_[index(above)].level = at(below).level + 1;
          upper.emplace_back(above, below);
        }
      }
    }
    lower.clear();
    for (const auto& [above, below] : upper) {
      const auto is_above = [this, level = at(above).level](int other) {
        return at(other).level == level;
      };
      const auto base = std::ranges::count_if(neighbours[index(below)], is_above);
      places_[index(above)].stride =
          std::min(beyond_numbers, at(below).stride * static_cast<std::uint64_t>(base));
      lower.push_back(above);
    }
  }
}

}  // namespace ringcast::detail
