#include "topology/topology.hpp"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "topology/router.hpp"

namespace ringcast {

namespace {

const Vertex& vertex_at(const Cluster& cluster, int vertex) {
  return cluster.vertices[static_cast<std::size_t>(vertex)];
}

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
                                    number, vertex_at(cluster, cable.a).name)};
  }
}

void check_cables(const Cluster& cluster) {
  for (std::size_t number = 0; number < cluster.cables.size(); ++number) {
    check_ends(cluster, number);
    const Cable& cable = cluster.cables[number];
    const std::string ends =
        fmt::format("{} - {}", vertex_at(cluster, cable.a).name, vertex_at(cluster, cable.b).name);
    const double rate = cable.bandwidth.value();
    if (!std::isfinite(rate) || rate <= 0) {
      throw ScenarioError{
          fmt::format("cable {}: a bandwidth of {} B/s (expected more than 0)", ends, rate)};
    }
    const double latency = cable.latency.count();
    if (!std::isfinite(latency) || latency < 0) {
      throw ScenarioError{
          fmt::format("cable {}: a latency of {} s (expected 0 or more)", ends, latency)};
    }
  }
}

std::vector<int> gpus_of(const Cluster& cluster) {
  std::vector<int> gpus;
  for (std::size_t vertex = 0; vertex < cluster.vertices.size(); ++vertex) {
    if (cluster.vertices[vertex].kind == VertexKind::gpu) {
      gpus.push_back(static_cast<int>(vertex));
    }
  }
  if (gpus.empty()) {
    throw ScenarioError{fmt::format("cluster {}: no gpu (expected at least one)", cluster.name)};
  }
  return gpus;
}

Cluster checked(Cluster cluster) {
  check_vertices(cluster);
  check_cables(cluster);
  return cluster;
}

std::vector<Link> links_of(const Cluster& cluster) {
  std::vector<Link> links;
  links.reserve(2 * cluster.cables.size());
  for (const Cable& cable : cluster.cables) {
    links.insert(links.end(), 2, {cable.bandwidth, cable.latency});
  }
  return links;
}

}  // namespace

struct Topology::Graph {
  explicit Graph(Cluster described)
      : cluster{checked(std::move(described))},
        gpus{gpus_of(cluster)},
        links{links_of(cluster)},
        router{cluster, gpus} {
    if (const auto parted = router.parted_ranks()) {
      throw ScenarioError{fmt::format(
          "no cables join {} and {} (expected a way that passes through no other GPU and no other "
          "node)",
          name_of_rank(parted->first), name_of_rank(parted->second))};
    }
  }
  [[nodiscard]] const std::string& name_of_rank(Rank rank) const {
    return vertex_at(cluster, gpus[static_cast<std::size_t>(index_of(rank))]).name;
  }

  Cluster cluster;
  std::vector<int> gpus;
  std::vector<Link> links;
  detail::Router router;
  std::unordered_map<std::uint64_t, Route> routes;  // by from * ranks + to
};

Topology::Topology(Cluster cluster) : graph_{std::make_unique<Graph>(std::move(cluster))} {}
Topology::Topology(Topology&&) noexcept = default;
Topology::~Topology() = default;

const Cluster& Topology::cluster() const {
  return graph_->cluster;
}

int Topology::ranks() const {
  return static_cast<int>(graph_->gpus.size());
}

int Topology::vertex_of(Rank rank) const {
  expect(index_of(rank) >= 0 && index_of(rank) < ranks(), "rank {} of {}", index_of(rank), ranks());
  return graph_->gpus[static_cast<std::size_t>(index_of(rank))];
}

std::span<const Link> Topology::links() const {
  return graph_->links;
}

std::string Topology::name_of(LinkId link) const {
  expect(index_of(link) < graph_->links.size(), "link {} of {}", index_of(link),
         graph_->links.size());
  const Cable& cable = graph_->cluster.cables[index_of(link) / 2];
  const bool forward = index_of(link) % 2 == 0;
  return fmt::format("{} -> {}", vertex_at(graph_->cluster, forward ? cable.a : cable.b).name,
                     vertex_at(graph_->cluster, forward ? cable.b : cable.a).name);
}

const Route& Topology::route(Rank from, Rank to) const {
  expect(vertex_of(from) >= 0 && vertex_of(to) >= 0, "ranks {} and {}", index_of(from),
         index_of(to));
  const auto key =
      static_cast<std::uint64_t>(index_of(from)) * static_cast<std::uint64_t>(ranks()) +
      static_cast<std::uint64_t>(index_of(to));
  const auto known = graph_->routes.find(key);
  if (known != graph_->routes.end()) {
    return known->second;
  }
  std::optional<Route> route = from == to ? Route{} : graph_->router.find(from, to);
  expect(route.has_value(), "no route from rank {} to rank {}", index_of(from), index_of(to));
  return graph_->routes.emplace(key, std::move(*route)).first->second;
}

}  // namespace ringcast
