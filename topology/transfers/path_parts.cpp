#include "topology/transfers/path_parts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ringcast::detail {

VertexKind kind_of(const Topology& topology, int vertex) {
  return topology.cluster().vertex(vertex).kind;
}

bool is_gpu(const Topology& topology, int vertex) {
  return kind_of(topology, vertex) == VertexKind::gpu;
}

bool is_process(const Topology& topology, int vertex) {
  return kind_of(topology, vertex) == VertexKind::process;
}

int memory_of(const Topology& topology, int place) {
  return is_process(topology, place) ? topology.host_of(place) : place;
}

PcieTraffic peers_past_root(PathLevel level) {
  return level >= PathLevel::phb ? PcieTraffic::peers : PcieTraffic::plain;
}

void arrange(TransferPath& path, std::optional<Leg> down, Leg between, std::optional<Leg> up,
             const Topology& topology, bool pipelined) {
  if (!pipelined) {
    path.copy_down = std::move(down);
    path.main = std::move(between);
    path.copy_up = std::move(up);
    return;
  }
  std::vector<Leg> legs;
  if (down) legs.push_back(std::move(*down));
  legs.push_back(std::move(between));
  if (up) legs.push_back(std::move(*up));
  // A leg begins when the leg before it has filled a buffer; the slowest is the bottleneck.
  double slowest = 0;
  for (const Leg& leg : legs) {
    const double each = time_per_byte(topology, leg).count();
    path.fill_seconds_per_byte += each;
    slowest = std::max(slowest, each);
  }
  path.fill_seconds_per_byte -= slowest;
  path.main = joined(std::move(legs));
}

}  // namespace ringcast::detail
