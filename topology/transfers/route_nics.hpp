#pragma once

#include <cstddef>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast {

/// The vertices of a route, its start first.
[[nodiscard]] std::vector<int> vertices_of(const Topology& topology, int from, const Route& route);

/// Positions of the NICs on a route between two nodes: the last vertex of the sender's node and
/// the first of the receiver's. In a cluster without NICs GPUs are cabled to the switch, and a GPU
/// is its own NIC.
struct NicPositions {
  std::ptrdiff_t out;
  std::ptrdiff_t in;
};
[[nodiscard]] NicPositions nics_on(const Topology& topology, const std::vector<int>& vertices);

}  // namespace ringcast
