#include "topology/routes/topology.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "engine/numbers/flat_numbers.hpp"
#include "topology/cluster/cluster_checks.hpp"
#include "topology/routes/router.hpp"

namespace ringcast {

namespace {

std::vector<int> ranks_of(const Cluster& cluster) {
  std::vector<int> ranks = rank_vertices(cluster);
  if (ranks.empty()) {
    throw ScenarioError{
        fmt::format("cluster {}: no gpu (expected at least one, or processes)", cluster.name)};
  }
  const Vertex& first = cluster.vertex(ranks.front());
  const auto other = std::ranges::find_if(
      ranks, [&](int rank) { return cluster.vertex(rank).kind != first.kind; });
  if (other != ranks.end()) {
    throw ScenarioError{
        fmt::format("cluster {}: both {} and {} (expected GPUs or processes, as ranks are alike)",
                    cluster.name, first.name, cluster.vertex(*other).name)};
  }
  return ranks;
}

/// Node by node.
std::vector<int> sockets_in(const Cluster& cluster) {
  std::vector<int> sockets;
  for (std::size_t vertex = 0; vertex < cluster.vertices.size(); ++vertex) {
    if (cluster.vertices[vertex].kind == VertexKind::cpu) {
      sockets.push_back(static_cast<int>(vertex));
    }
  }
  std::ranges::stable_sort(sockets, {}, [&](int socket) { return cluster.vertex(socket).node; });
  return sockets;
}

Cluster checked(Cluster cluster) {
  detail::check_cluster(cluster);
  return cluster;
}

std::vector<Link> directions_of(const Cluster& cluster) {
  std::vector<Link> links;
  links.reserve(2 * cluster.cables.size());
  for (const Cable& cable : cluster.cables) {
    links.insert(links.end(), 2, {cable.bandwidth, cable.latency, LinkKind::direction});
  }
  return links;
}

}  // namespace

struct Topology::Graph {
  explicit Graph(Cluster described)
      : cluster{checked(std::move(described))},
        ranks{ranks_of(cluster)},
        sockets{sockets_in(cluster)},
        links{directions_of(cluster)},
        router{cluster, ranks} {
    add_limits();
    if (const auto disconnected = router.disconnected_ranks()) {
      throw ScenarioError{fmt::format(
          "no cables connect {} and {} (expected a route through no other GPU and no other node)",
          name_of_rank(disconnected->first), name_of_rank(disconnected->second))};
    }
  }
  [[nodiscard]] const std::string& name_of_rank(Rank rank) const {
    return cluster.vertex(ranks[static_cast<std::size_t>(index_of(rank))]).name;
  }

  void add_limits() {
    for (std::size_t cable = 0; cable < cluster.cables.size(); ++cable) {
      const Cable& rated = cluster.cables[cable];
      const auto first = static_cast<int>(2 * cable);
      add_limit(rated.both_ways, LinkKind::both_ways, first);
      for (const int direction : {first, first + 1}) {
        if (!cluster.joins_sockets(rated)) {
          add_limit(rated.peer_bandwidth, LinkKind::peer_traffic, direction);
        }
        add_limit(rated.kernel_bandwidth, LinkKind::kernel_copies, direction);
      }
    }
    for (std::size_t vertex = 0; vertex < cluster.vertices.size(); ++vertex) {
      const auto of = static_cast<int>(vertex);
      add_limit(cluster.vertices[vertex].memory, LinkKind::host_memory, of);
      add_limit(cluster.vertices[vertex].staging_bandwidth, LinkKind::staged_reads, of);
      add_limit(cluster.vertices[vertex].tcp_thread, LinkKind::tcp_thread, of);
      add_limit(cluster.vertices[vertex].socket_writes, LinkKind::socket_writes, of);
    }
  }
  void add_limit(BytesPerSecond limit, LinkKind kind, int of) {
    if (limit > BytesPerSecond{0}) {
      limits[static_cast<std::size_t>(kind)].push_back(
          {of, LinkId{static_cast<int>(links.size())}});
      links.push_back({limit, Seconds{0}, kind});
      limited.push_back(of);
    }
  }
  [[nodiscard]] std::optional<LinkId> limit(LinkKind kind, int of) const {
    const auto& of_kind = limits[static_cast<std::size_t>(kind)];
    const auto found = std::ranges::lower_bound(of_kind, of, {}, &Limit::of);
    return found == of_kind.end() || found->of != of ? std::nullopt : std::optional{found->link};
  }

  /// In order.
  [[nodiscard]] std::span<const int> sockets_of(int node) const {
    const auto node_of = [this](int socket) { return cluster.vertex(socket).node; };
    return {std::ranges::lower_bound(sockets, node, {}, node_of),
            std::ranges::upper_bound(sockets, node, {}, node_of)};
  }

  Cluster cluster;
  std::vector<int> ranks;
  std::vector<int> sockets;  // by node
  std::vector<Link> links;
  struct Limit {
    int of;  // the direction of a cable, or a vertex
    LinkId link;
  };
  std::array<std::vector<Limit>, link_kinds> limits;  // by LinkKind; each ascending
  std::vector<int> limited;  // the direction or vertex of each link after the directions
  detail::Router router;
  FoundOnce<Route> routes;  // by from * vertices + to
};

Topology::Topology(Cluster cluster) : graph_{std::make_unique<Graph>(std::move(cluster))} {}
Topology::Topology(Topology&&) noexcept = default;
Topology::~Topology() = default;

const Cluster& Topology::cluster() const {
  return graph_->cluster;
}

int Topology::ranks() const {
  return static_cast<int>(graph_->ranks.size());
}

int Topology::vertex_of(Rank rank) const {
  expect(index_of(rank) >= 0 && index_of(rank) < ranks(), "rank {} of {}", index_of(rank), ranks());
  return graph_->ranks[static_cast<std::size_t>(index_of(rank))];
}

std::span<const Link> Topology::links() const {
  return graph_->links;
}

std::string Topology::name_of(LinkId link) const {
  expect(index_of(link) < graph_->links.size(), "link {} of {}", index_of(link),
         graph_->links.size());
  const std::size_t directions = 2 * graph_->cluster.cables.size();
  const auto direction_name = [this](LinkId direction, std::string_view arrow) {
    return fmt::format("{} {} {}", graph_->cluster.vertex(begin_of(direction)).name, arrow,
                       graph_->cluster.vertex(end_of(direction)).name);
  };
  if (index_of(link) < directions) {
    return direction_name(link, "->");
  }
  const int of = graph_->limited[index_of(link) - directions];
  switch (graph_->links[index_of(link)].kind) {
    case LinkKind::both_ways:
      return direction_name(LinkId{of}, "-") + ", both ways";
    case LinkKind::peer_traffic:
      return direction_name(LinkId{of}, "->") + ", peer traffic";
    case LinkKind::kernel_copies:
      return direction_name(LinkId{of}, "->") + ", kernel copies";
    case LinkKind::staged_reads:
      return graph_->cluster.vertex(of).name + ", staged reads";
    case LinkKind::tcp_thread:
      return graph_->cluster.vertex(of).name + ", TCP thread";
    case LinkKind::socket_writes:
      return graph_->cluster.vertex(of).name + ", writes across sockets";
    default:
      return graph_->cluster.vertex(of).name + ", memory";
  }
}

std::string_view Topology::class_of(LinkId link) const {
  const std::size_t directions = 2 * graph_->cluster.cables.size();
  const LinkKind kind = graph_->links[index_of(link)].kind;
  if (kind == LinkKind::host_memory) return "host memory";
  if (kind == LinkKind::staged_reads) return "staged reads";
  if (kind == LinkKind::tcp_thread) return "TCP";
  if (kind == LinkKind::socket_writes) return "writes across sockets";
  const std::size_t direction =
      index_of(link) < directions
          ? index_of(link)
          : static_cast<std::size_t>(graph_->limited[index_of(link) - directions]);
  return graph_->cluster.cables[direction / 2].link_class;
}

std::optional<LinkId> Topology::both_ways_limit(LinkId direction) const {
  return graph_->limit(LinkKind::both_ways,
                       static_cast<int>(index_of(direction) & ~std::size_t{1}));
}
std::optional<LinkId> Topology::peer_limit(LinkId direction) const {
  return graph_->limit(LinkKind::peer_traffic, static_cast<int>(index_of(direction)));
}
std::optional<LinkId> Topology::kernel_limit(LinkId direction) const {
  return graph_->limit(LinkKind::kernel_copies, static_cast<int>(index_of(direction)));
}
std::optional<LinkId> Topology::memory_of(int cpu) const {
  return graph_->limit(LinkKind::host_memory, cpu);
}
std::optional<LinkId> Topology::staged_reads_of(int gpu) const {
  return graph_->limit(LinkKind::staged_reads, gpu);
}
std::optional<LinkId> Topology::thread_of(int rank) const {
  return graph_->limit(LinkKind::tcp_thread, rank);
}
std::optional<LinkId> Topology::socket_writes_of(int device) const {
  return graph_->limit(LinkKind::socket_writes, device);
}

const Cable& Topology::cable_of(LinkId direction) const {
  return graph_->cluster.cables.at(index_of(direction) / 2);
}

int Topology::begin_of(LinkId direction) const {
  const Cable& cable = cable_of(direction);
  return index_of(direction) % 2 == 0 ? cable.a : cable.b;
}

int Topology::end_of(LinkId direction) const {
  return begin_of(back_from(direction));
}

int Topology::host_of(int vertex) const {
  const Vertex& device = graph_->cluster.vertex(vertex);
  if (device.kind == VertexKind::cpu) {
    return vertex;
  }
  std::optional<int> nearest;
  std::size_t crossings = 0;
  for (const int socket : graph_->sockets_of(device.node)) {
    const std::size_t distance = route_between(vertex, socket).links.size();
    if (!nearest || distance < crossings) {
      nearest = socket;
      crossings = distance;
    }
  }
  if (!nearest) {
    throw ScenarioError{
        fmt::format("{} has no host memory to stage through (expected a socket in its node, or a "
                    "transport whose p2p and gdr levels need none)",
                    device.name)};
  }
  return *nearest;
}

Route Topology::find_route(int from, int to) const {
  if (from == to) return {};
  std::optional<Route> route = graph_->router.find(from, to);
  if (!route) {
    throw ScenarioError{fmt::format("no cables connect {} and {}",
                                    graph_->cluster.vertex(from).name,
                                    graph_->cluster.vertex(to).name)};
  }
  return std::move(*route);
}

Route Topology::find_route_by_own_nics(int from, int to) const {
  std::optional<Route> route = graph_->router.find_by_own_nics(from, to);
  const Cluster& cluster = graph_->cluster;
  if (!route && cluster.vertex(from).node != cluster.vertex(to).node) return find_route(from, to);
  if (!route) {
    throw ScenarioError{fmt::format(
        "no switches connect NICs of {} and {}, which communicate over the network (expected a "
        "fabric with them, or a transport with shm: true and network_in_node: false)",
        cluster.vertex(from).name, cluster.vertex(to).name)};
  }
  return std::move(*route);
}

const Route& Topology::route_between(int from, int to) const {
  const auto key = static_cast<std::uint64_t>(from) *
                       static_cast<std::uint64_t>(graph_->cluster.vertices.size()) +
                   static_cast<std::uint64_t>(to);
  return graph_->routes.of(key, [&] { return find_route(from, to); });
}

}  // namespace ringcast
