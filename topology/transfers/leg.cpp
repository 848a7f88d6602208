#include "topology/transfers/leg.hpp"

#include <algorithm>
#include <utility>

namespace ringcast {

Seconds time_per_byte(const Topology& topology, const Leg& leg) {
  double slowest = leg.limit > BytesPerSecond{0} ? 1 / leg.limit.value() : 0.0;
  for (const LinkId link : leg.links) {
    const auto crossings = static_cast<double>(std::ranges::count(leg.links, link));
    slowest = std::max(slowest, crossings / topology.links()[index_of(link)].bandwidth.value());
  }
  return Seconds{slowest};
}

Leg joined(std::vector<Leg> legs) {
  Leg all = std::move(legs.front());
  for (std::size_t i = 1; i < legs.size(); ++i) {
    all.links.insert(all.links.end(), legs[i].links.begin(), legs[i].links.end());
    all.latency += legs[i].latency;
    all.limit = narrower(all.limit, legs[i].limit);
  }
  return all;
}

LegBuilder& LegBuilder::route(int from, int to, PcieTraffic traffic) {
  return links(topology_->route_between(from, to).links, traffic);
}

LegBuilder& LegBuilder::links(std::span<const LinkId> crossed, PcieTraffic traffic) {
  std::optional<LinkId> writes;  // by the last device before the socket link
  for (const LinkId link : crossed) {
    leg_.links.push_back(link);
    leg_.latency += topology_->links()[index_of(link)].latency;
    add(topology_->both_ways_limit(link));
    if (traffic == PcieTraffic::plain) continue;
    add(traffic == PcieTraffic::peers ? topology_->peer_limit(link)
                                      : topology_->kernel_limit(link));
    if (const auto by = topology_->socket_writes_of(topology_->begin_of(link))) writes = by;
    if (topology_->cluster().joins_sockets(topology_->cable_of(link))) {
      add(std::exchange(writes, std::nullopt));
    }
  }
  return *this;
}

LegBuilder& LegBuilder::thread(int rank) {
  add(topology_->thread_of(rank));
  return *this;
}

LegBuilder& LegBuilder::memory(int cpu, int times) {
  for (int i = 0; i < times; ++i) {
    add(topology_->memory_of(cpu));
  }
  return *this;
}

LegBuilder& LegBuilder::limit(BytesPerSecond limit) {
  leg_.limit = narrower(leg_.limit, limit);
  return *this;
}

void LegBuilder::add(const std::optional<LinkId>& limit) {
  if (limit) {
    leg_.links.push_back(*limit);
  }
}

}  // namespace ringcast
