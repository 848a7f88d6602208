#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast::detail {

/// The cables of a cluster as edges in both directions, stored by the vertex that they leave.
class CableGraph {
 public:
  struct Edge {
    int to;              // vertex
    LinkId link;         // in this direction
    std::uint64_t cost;  // crossing_cost()
  };

  /// Has the cables between two vertices for which `has` is true.
  CableGraph(const Cluster& cluster, const std::function<bool(int vertex)>& has);

  /// In the order of the cables.
  [[nodiscard]] std::span<const Edge> edges_from(int vertex) const;

 private:
  std::vector<std::size_t> begin_;  // of each vertex's edges, and the end of the last
  std::vector<Edge> edges_;
};

}  // namespace ringcast::detail
