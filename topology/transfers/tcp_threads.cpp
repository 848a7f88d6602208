#include "topology/transfers/tcp_threads.hpp"

#include <algorithm>
#include <map>

namespace ringcast {

namespace {

/// The fastest cable of each node to another, or to a switch of the network.
std::map<int, BytesPerSecond> wires_of(const Cluster& cluster) {
  const auto node_of = [&cluster](int vertex) {
    return cluster.vertices[static_cast<std::size_t>(vertex)].node;
  };
  std::map<int, BytesPerSecond> wires;
  for (const Cable& cable : cluster.cables) {
    if (node_of(cable.a) == node_of(cable.b)) continue;
    for (const int end : {cable.a, cable.b}) {
      BytesPerSecond& wire = wires[node_of(end)];
      wire = std::max(wire, cable.bandwidth);
    }
  }
  return wires;
}

}  // namespace

Cluster with_tcp_threads(Cluster cluster, const TransportProfile& profile) {
  if (profile.socket_copy_rate == BytesPerSecond{0}) return cluster;
  const double copy = 1 / profile.socket_copy_rate.value();
  const std::map<int, BytesPerSecond> wires = wires_of(cluster);
  for (Vertex& vertex : cluster.vertices) {
    const auto wire = wires.find(vertex.node);
    if (!is_rank(vertex.kind) || wire == wires.end()) continue;
    const double carry = 1 / wire->second.value();
    vertex.sockets = {BytesPerSecond{1 / (carry + copy)}, BytesPerSecond{2 / (carry + 2 * copy)}};
  }
  return cluster;
}

}  // namespace ringcast
