#include "app/report/job_map.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/alike.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// Numbers the devices, sockets and cores of each node.
class NodeNumbers {
 public:
  explicit NodeNumbers(const Topology& topology) : topology_{topology} {
    const std::vector<Vertex>& vertices = topology.cluster().vertices;
    std::map<int, int> sockets;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (is_rank(vertices[i].kind)) {
        device_[static_cast<int>(i)] = devices_[vertices[i].node]++;
      } else if (vertices[i].kind == VertexKind::cpu) {
        socket_[static_cast<int>(i)] = sockets[vertices[i].node]++;
      }
    }
    std::map<int, int> cores;  // by the socket's vertex
    for (const auto& [vertex, device] : device_) {
      const bool is_process = topology.cluster().vertex(vertex).kind == VertexKind::process;
      if (is_process) core_[vertex] = cores[topology.host_of(vertex)]++;
    }
  }

  [[nodiscard]] int device(int vertex) const { return device_.at(vertex); }
  [[nodiscard]] int devices(int node) const { return devices_.at(node); }

  /// A process has a core of its own, a GPU's process any of the nearest socket.
  [[nodiscard]] std::string slot(int vertex) const {
    if (socket_.empty()) return "0:*";
    const int host = topology_.host_of(vertex);
    const auto own = core_.find(vertex);
    const std::string core = own == core_.end() ? "*" : fmt::format("{}", own->second);
    return fmt::format("{}:{}", socket_.at(host), core);
  }

 private:
  const Topology& topology_;
  std::map<int, int> device_;   // by vertex
  std::map<int, int> socket_;   // by vertex
  std::map<int, int> devices_;  // by node
  std::map<int, int> core_;     // of its socket, by the process's vertex
};

/// `host` counts the nodes of the job.
std::string host_name(const Vertex& vertex, std::size_t host, std::span<const std::string> names) {
  if (names.empty()) return detail::node_name(vertex);
  if (host >= names.size()) {
    throw ScenarioError{
        fmt::format("--hostfile: {}, but {} is on node {} of the job (expected a host for each)",
                    counted(names.size(), "host"), vertex.name, host)};
  }
  return names[host];
}

}  // namespace

JobMap job_map(const TransferPaths& paths, std::span<const std::string> names) {
  const Topology& topology = paths.topology();
  NodeNumbers numbers{topology};
  JobMap map;
  std::map<int, int> known;  // hosts by node
  for (int rank = 0; rank < paths.ranks(); ++rank) {
    const int at = topology.vertex_of(Rank{rank});
    const Vertex& vertex = topology.cluster().vertex(at);
    map.gpus = vertex.kind == VertexKind::gpu;
    const auto [host, is_new] = known.emplace(vertex.node, static_cast<int>(map.hosts.size()));
    if (is_new) {
      map.hosts.push_back(host_name(vertex, map.hosts.size(), names));
      map.devices.push_back(numbers.devices(vertex.node));
    }
    map.places.push_back({host->second, numbers.device(at), numbers.slot(at)});
  }
  return map;
}

std::vector<HostVisit> visits_of(const RingOrder& ring, const JobMap& map) {
  const auto host_at = [&](int position) {
    return map.place_of(ring.rank_at(position % ring.size())).host;
  };
  int begin = ring.position_of(Rank{0});
  const int home = host_at(begin);
  // The visit of rank 0 may have begun before it; a ring within one host begins with rank 0.
  for (int back = 1; back < ring.size(); ++back) {
    const int before = ring.position_of(Rank{0}) + ring.size() - back;
    if (host_at(before) != home) {
      begin = before + 1;
      break;
    }
  }
  std::vector<HostVisit> visits;
  for (int i = 0; i < ring.size(); ++i) {
    const Rank rank = ring.rank_at((begin + i) % ring.size());
    const int host = host_at(begin + i);
    if (visits.empty() || visits.back().host != host) {
      visits.push_back({host, {}});
    }
    visits.back().ranks.push_back(rank);
  }
  return visits;
}

bool is_by_host(std::span<const HostVisit> visits, const JobMap& map) {
  return visits.size() == map.hosts.size();
}

}  // namespace ringcast
