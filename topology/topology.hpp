#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "topology/cluster.hpp"

namespace ringcast {

/// What transfers share. One direction of a cable: cable c from a to b is link 2c, from b to a is
/// link 2c + 1. The limits that a cluster may have beside these are the links after the last cable.
enum class LinkId : int {};
[[nodiscard]] constexpr std::size_t index_of(LinkId link) {
  return static_cast<std::size_t>(link);
}

/// A direction of a cable; both directions together; what small packets may load of one direction
/// (Cable::peer_bandwidth); a socket's memory.
enum class LinkKind { direction, both_ways, peer_traffic, host_memory };

struct Link {
  BytesPerSecond bandwidth;
  Seconds latency;
  LinkKind kind = LinkKind::direction;
};

/// What a message crosses, in order, and the sum of the crossings' latencies.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{0};
};

/// A checked cluster graph with its routes. Boost.Graph stays inside the .cpp files.
/// Routes are found on demand and kept; one thread at a time.
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
  /// The vertex that a rank is.
  [[nodiscard]] int vertex_of(Rank rank) const;
  [[nodiscard]] std::span<const Link> links() const;
  /// `node0.sw1 -> node0.gpu3`, `node0.sw1 - node0.gpu3, both ways`,
  /// `node0.sw1 -> node0.root0, peer traffic` or `node0.socket0, memory`
  [[nodiscard]] std::string name_of(LinkId link) const;
  /// The class of the cable, or `host memory`.
  [[nodiscard]] std::string_view class_of(LinkId link) const;
  /// The limits beside that of a direction itself; nothing where the cluster has none.
  [[nodiscard]] std::optional<LinkId> both_ways_limit(LinkId direction) const;
  [[nodiscard]] std::optional<LinkId> peer_limit(LinkId direction) const;
  [[nodiscard]] std::optional<LinkId> memory_of(int cpu) const;
  /// Where a direction of a cable begins and ends.
  [[nodiscard]] int begin_of(LinkId direction) const;
  [[nodiscard]] int end_of(LinkId direction) const;
  /// The socket whose memory is nearest to a device, or the socket itself. Throws ScenarioError
  /// where there is none to be reached.
  [[nodiscard]] int host_of(int vertex) const;
  /// The route prefers NVLink to PCIe, PCIe to the socket link, any of them to the network; it
  /// never passes through a GPU, and through no node but those of its two ends. Of several equal
  /// routes the destination chooses, so that traffic spreads over parallel cables and repeats
  /// exactly. Empty for from == to. The reference stays valid as long as the Topology.
  [[nodiscard]] const Route& route(Rank from, Rank to) const;
  /// The same between any two vertices. Throws ScenarioError where no cables join them.
  [[nodiscard]] const Route& route_between(int from, int to) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace ringcast
