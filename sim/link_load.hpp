#pragma once

#include <vector>

#include "sim/streams.hpp"
#include "topology/topology.hpp"

namespace ringcast {

/// The bytes that crossed each link of the topology (index: LinkId), counted message by message.
[[nodiscard]] std::vector<Bytes> carried_by_link(const std::vector<PairTraffic>& traffic,
                                                 const Topology& topology);
/// The most that any one rank sent.
[[nodiscard]] Bytes most_sent(const std::vector<PairTraffic>& traffic);

/// From `begin` to `end`, `flows` messages were on the wire of a link at once.
struct BusyInterval {
  LinkId link;
  Seconds begin;
  Seconds end;
  int flows;
};
/// When each link was busy, link by link, in time order, without idle stretches.
[[nodiscard]] std::vector<BusyInterval> busy_intervals(
    const std::vector<DeliveredMessage>& messages, const Topology& topology);

}  // namespace ringcast
