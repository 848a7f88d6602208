#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "topology/cluster/cluster.hpp"

namespace ringcast {

/// A resource that transfers share. The directions of cable c are links 2c (from a to b) and 2c + 1
/// (from b to a); all other limits of a cluster are the links after the last cable.
enum class LinkId : int {};
[[nodiscard]] constexpr std::size_t index_of(LinkId link) {
  return static_cast<std::size_t>(link);
}
/// The other direction of a cable.
[[nodiscard]] constexpr LinkId back_from(LinkId direction) {
  return LinkId{static_cast<int>(index_of(direction) ^ 1U)};
}

/// A direction of a cable; both directions together; one direction's limit for peer traffic or for
/// kernels that access host memory (Cable); a socket's memory; what a GPU's kernels read of it
/// (Vertex::staging_bandwidth); the thread that serves a rank's TCP sockets; what a device writes
/// to other sockets.
enum class LinkKind {
  direction,
  both_ways,
  peer_traffic,
  kernel_copies,
  host_memory,
  staged_reads,
  tcp_thread,
  socket_writes,
};
inline constexpr std::size_t link_kinds = 8;

struct Link {
  BytesPerSecond bandwidth;
  Seconds latency;
  LinkKind kind = LinkKind::direction;
};

/// The links of a route, in order, and the sum of their latencies.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{0};
};

/// A checked cluster graph with its routes. Boost.Graph stays inside the .cpp files.
/// Routes are computed on demand; not thread-safe.
class Topology {
 public:
  /// Throws ScenarioError on a repeated name, a cable to nowhere or to itself, a rate that is zero,
  /// negative or not finite, no rank, GPUs beside processes, or a rank that another cannot reach.
  explicit Topology(Cluster cluster);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) = delete;
  ~Topology();

  [[nodiscard]] const Cluster& cluster() const;
  [[nodiscard]] int ranks() const;
  /// The vertex of a rank.
  [[nodiscard]] int vertex_of(Rank rank) const;
  [[nodiscard]] std::span<const Link> links() const;
  /// `node0.sw1 -> node0.gpu3`, `node0.sw1 - node0.gpu3, both ways`,
  /// `node0.sw1 -> node0.root0, peer traffic` (or `, kernel copies`), `node0.socket0, memory`,
  /// `node0.gpu3, staged reads`, `node0.gpu3, TCP thread`, `node0.gpu3, writes across sockets`
  [[nodiscard]] std::string name_of(LinkId link) const;
  /// The class of the cable, `host memory`, `staged reads`, `TCP` or `writes across sockets`.
  [[nodiscard]] std::string_view class_of(LinkId link) const;
  /// Further limits of a direction, and of a socket's memory; nothing if the cluster has none.
  [[nodiscard]] std::optional<LinkId> both_ways_limit(LinkId direction) const;
  [[nodiscard]] std::optional<LinkId> peer_limit(LinkId direction) const;
  [[nodiscard]] std::optional<LinkId> kernel_limit(LinkId direction) const;
  [[nodiscard]] std::optional<LinkId> memory_of(int cpu) const;
  /// The limit of Vertex::staging_bandwidth.
  [[nodiscard]] std::optional<LinkId> staged_reads_of(int gpu) const;
  /// The limit of the thread which serves a rank's sockets (tcp_threads.hpp).
  [[nodiscard]] std::optional<LinkId> thread_of(int rank) const;
  /// The limit of Vertex::socket_writes.
  [[nodiscard]] std::optional<LinkId> socket_writes_of(int device) const;
  /// The cable that this is a direction of; a link of another kind throws std::out_of_range.
  [[nodiscard]] const Cable& cable_of(LinkId direction) const;
  /// The two ends of a direction of a cable.
  [[nodiscard]] int begin_of(LinkId direction) const;
  [[nodiscard]] int end_of(LinkId direction) const;
  /// The socket nearest to a device, or the socket itself. Throws ScenarioError if no socket is
  /// reachable.
  [[nodiscard]] int host_of(int vertex) const;
  /// A route prefers NVLink to PCIe, PCIe to the socket link, any of them to the network; it passes
  /// through no GPU and no third node. Between nodes it uses the NICs nearest to both ends that
  /// the fabric connects, as in NCCL and UCX, even if others share a leaf. Among equal routes the
  /// destination selects one, so that traffic spreads over parallel cables deterministically. Empty
  /// for from == to. Throws ScenarioError if the vertices are disconnected.
  [[nodiscard]] Route find_route(int from, int to) const;
  /// The route over the network between two ranks, of one node or of two, that each send and
  /// receive by one NIC: the nearest, among equal ones by the number of the rank in its node. If
  /// both have the same NIC, the route goes to its switch and back. Between nodes without switches
  /// it is find_route(). Throws ScenarioError if no switches connect the NICs of one node.
  [[nodiscard]] Route find_route_by_own_nics(int from, int to) const;
  /// find_route(), cached. The reference is valid as long as the Topology.
  [[nodiscard]] const Route& route_between(int from, int to) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace ringcast
