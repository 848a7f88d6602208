#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace ringcast {

/// One flow of bytes: every link it loads, one that it loads twice twice, and the latency of its
/// cables.
struct Leg {
  std::vector<LinkId> links;
  Seconds latency{0};
  /// The flow is no faster, whatever the links allow; zero: no limit of its own.
  BytesPerSecond limit{0};
};

/// What the slowest of a leg's links leaves to a flow that is alone on it.
[[nodiscard]] Seconds time_per_byte(const Topology& topology, const Leg& leg);

/// One flow over all that the legs load, at the pace of the slowest. At least one leg.
[[nodiscard]] Leg joined(std::vector<Leg> legs);

/// Collects what a flow loads.
class LegBuilder {
 public:
  explicit LegBuilder(const Topology& topology) : topology_{&topology} {}

  /// The cables from one vertex to another; `peers`: they obey Cable::peer_bandwidth.
  LegBuilder& route(int from, int to, bool peers);
  LegBuilder& links(std::span<const LinkId> crossed, bool peers);
  LegBuilder& memory(int cpu, int times);
  /// No faster than this; zero: no limit.
  LegBuilder& limit(BytesPerSecond limit);
  [[nodiscard]] Leg build() { return std::move(leg_); }

 private:
  void add(const std::optional<LinkId>& limit);

  const Topology* topology_;
  Leg leg_;
};

}  // namespace ringcast
