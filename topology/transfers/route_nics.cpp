#include "topology/transfers/route_nics.hpp"

#include <algorithm>

namespace ringcast {

std::vector<int> vertices_of(const Topology& topology, int from, const Route& route) {
  std::vector<int> vertices{from};
  for (const LinkId link : route.links)
    vertices.push_back(topology.end_of(link));
  return vertices;
}

NicPositions nics_on(const Topology& topology, const std::vector<int>& vertices) {
  const auto is_nic = [&](int at) { return topology.cluster().vertex(at).kind == VertexKind::nic; };
  const auto first = std::ranges::find_if(vertices, is_nic);
  if (first == vertices.end()) {
    return {0, static_cast<std::ptrdiff_t>(vertices.size()) - 1};
  }
  const auto last = std::find_if(vertices.rbegin(), vertices.rend(), is_nic).base();
  return {first - vertices.begin(), last - vertices.begin() - 1};
}

}  // namespace ringcast
