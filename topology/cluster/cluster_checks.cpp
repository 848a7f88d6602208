#include "topology/cluster/cluster_checks.hpp"

#include <cmath>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast::detail {

namespace {

void check_vertices(const Cluster& cluster) {
  std::unordered_set<std::string_view> names;
  for (const Vertex& vertex : cluster.vertices) {
    if (!names.insert(vertex.name).second) {
      throw ScenarioError{
          fmt::format("cluster {}: two vertices are named {} (expected each name once)",
                      cluster.name, vertex.name)};
    }
    if ((vertex.node < 0) != (vertex.kind == VertexKind::network_switch)) {
      throw ScenarioError{fmt::format(
          "{}: a {} {} (expected network switches, and nothing else, "
          "outside the nodes)",
          vertex.name, name_of(vertex.kind), vertex.node < 0 ? "outside the nodes" : "in a node")};
    }
  }
}

void check_ends(const Cluster& cluster, std::size_t number) {
  const Cable& cable = cluster.cables[number];
  const int vertices = static_cast<int>(cluster.vertices.size());
  for (const int end : {cable.a, cable.b}) {
    if (end < 0 || end >= vertices) {
      throw ScenarioError{
          fmt::format("cable {} leads to vertex {} (expected 0 to {})", number, end, vertices - 1)};
    }
  }
  if (cable.a == cable.b) {
    throw ScenarioError{fmt::format("cable {} leads from {} to itself (expected two vertices)",
                                    number, cluster.vertex(cable.a).name)};
  }
}

void check_cables(const Cluster& cluster) {
  for (std::size_t number = 0; number < cluster.cables.size(); ++number) {
    check_ends(cluster, number);
    const Cable& cable = cluster.cables[number];
    const auto ends = [&] {
      return fmt::format("{} - {}", cluster.vertex(cable.a).name, cluster.vertex(cable.b).name);
    };
    const double rate = cable.bandwidth.value();
    if (!std::isfinite(rate) || rate <= 0) {
      throw ScenarioError{
          fmt::format("cable {}: a bandwidth of {} B/s (expected more than 0)", ends(), rate)};
    }
    for (const BytesPerSecond limit :
         {cable.peer_bandwidth, cable.both_ways, cable.kernel_bandwidth}) {
      if (!std::isfinite(limit.value()) || limit.value() < 0) {
        throw ScenarioError{
            fmt::format("cable {}: a limit of {} B/s (expected 0 or more)", ends(), limit.value())};
      }
    }
    const double latency = cable.latency.count();
    if (!std::isfinite(latency) || latency < 0) {
      throw ScenarioError{
          fmt::format("cable {}: a latency of {} s (expected 0 or more)", ends(), latency)};
    }
  }
}

}  // namespace

void check_cluster(const Cluster& cluster) {
  check_vertices(cluster);
  check_cables(cluster);
}

}  // namespace ringcast::detail
