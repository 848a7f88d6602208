#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast {

/// One flow of bytes: the links that it loads, repeated if it loads them twice, and the latency of
/// its cables.
struct Leg {
  std::vector<LinkId> links;
  Seconds latency{0};
  /// The flow's own rate limit, in addition to those of its links; zero: none.
  BytesPerSecond limit{0};
};

/// The time per byte of a flow without competing traffic: that of the slowest link.
[[nodiscard]] Seconds time_per_byte(const Topology& topology, const Leg& leg);

/// Combines at least one leg into one pipelined flow over all their links.
[[nodiscard]] Leg joined(std::vector<Leg> legs);

/// The further limit of a flow over cables: none, Cable::peer_bandwidth or Cable::kernel_bandwidth;
/// for both of the latter Vertex::socket_writes between sockets.
enum class PcieTraffic { plain, peers, kernels };

/// Collects the links of a flow.
class LegBuilder {
 public:
  explicit LegBuilder(const Topology& topology) : topology_{&topology} {}

  /// Adds the cables from one vertex to another.
  LegBuilder& route(int from, int to, PcieTraffic traffic);
  LegBuilder& links(std::span<const LinkId> crossed, PcieTraffic traffic);
  /// Adds the thread that copies a rank's data into sockets or out of them.
  LegBuilder& thread(int rank);
  LegBuilder& memory(int cpu, int times);
  /// Lowers the rate limit; zero: no limit.
  LegBuilder& limit(BytesPerSecond limit);
  [[nodiscard]] Leg build() { return std::move(leg_); }

 private:
  void add(const std::optional<LinkId>& limit);

  const Topology* topology_;
  Leg leg_;
};

}  // namespace ringcast
