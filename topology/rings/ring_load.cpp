#include "topology/rings/ring_load.hpp"

#include <algorithm>
#include <bit>

namespace ringcast {

namespace detail {

namespace {

/// Whether a link is a direction or a limit of a cable between switches, by link.
std::vector<bool> links_between_switches(const Topology& topology) {
  std::vector<bool> found(topology.links().size());
  const Cluster& cluster = topology.cluster();
  for (std::size_t i = 0; i < 2 * cluster.cables.size(); ++i) {
    const LinkId direction{static_cast<int>(i)};
    const Cable& cable = topology.cable_of(direction);
    if (cluster.vertex(cable.a).node >= 0 || cluster.vertex(cable.b).node >= 0) continue;
    found[i] = true;
    for (const std::optional<LinkId> limit :
         {topology.both_ways_limit(direction), topology.kernel_limit(direction)}) {
      if (limit) found[index_of(*limit)] = true;
    }
  }
  return found;
}

}  // namespace

LinkLoads::LinkLoads(const TransferPaths& paths, CountedLinks counted)
    : paths_{&paths},
      ignored_{counted == CountedLinks::all ? std::vector<bool>(paths.topology().links().size())
                                            : links_between_switches(paths.topology())},
      crossings_(ignored_.size()),
      leaves_{std::bit_ceil(std::max<std::size_t>(crossings_.size(), 2))} {
  slowest_.resize(2 * leaves_);
}

void LinkLoads::add(const Leg& leg, int messages) {
  for (const LinkId link : leg.links) {
    if (!counts(link)) continue;
    int& crossings = crossings_[index_of(link)];
    crossings += messages;
    const double rate = paths_->topology().links()[index_of(link)].bandwidth.value();
    const double seconds = crossings / rate;
    std::size_t at = leaves_ + index_of(link);
    squares_ += (seconds - slowest_[at]) * (seconds + slowest_[at]);
    slowest_[at] = seconds;
    for (at /= 2; at > 0; at /= 2) {
      const double larger = std::max(slowest_[2 * at], slowest_[2 * at + 1]);
      if (larger == slowest_[at]) {
        break;
      }
      slowest_[at] = larger;
    }
  }
}

void LinkLoads::add(Rank from, Rank to, int messages) {
  add(paths_->between(from, to), messages);
}

void LinkLoads::add(const TransferPath& path, int messages) {
  for_each_leg(path, [&](const Leg& leg) { add(leg, messages); });
}

void LinkLoads::add_ring(std::span<const Rank> ring, int messages) {
  for (std::size_t i = 0; ring.size() > 1 && i < ring.size(); ++i) {
    add(ring[i], ring[(i + 1) % ring.size()], messages);
  }
}

std::optional<LinkId> LinkLoads::busiest() const {
  if (slowest() <= 0) {
    return std::nullopt;
  }
  std::size_t at = 1;
  while (at < leaves_) {
    at = 2 * at + (slowest_[2 * at] == slowest_[at] ? 0 : 1);
  }
  return LinkId{static_cast<int>(at - leaves_)};
}

}  // namespace detail

std::optional<RingBottleneck> ring_bottleneck(const TransferPaths& paths,
                                              std::span<const RingOrder> orders) {
  detail::LinkLoads loads{paths};
  for (const RingOrder& order : orders) {
    loads.add_ring(order.ranks());
  }
  const std::optional<LinkId> link = loads.busiest();
  if (!link) {
    return std::nullopt;
  }
  return RingBottleneck{BytesPerSecond{static_cast<double>(orders.size()) / loads.slowest()},
                        *link};
}

}  // namespace ringcast
