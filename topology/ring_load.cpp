#include "topology/ring_load.hpp"

#include <algorithm>

namespace ringcast {

namespace detail {

void LinkLoads::add(const Leg& leg, int messages) {
  for (const LinkId link : leg.links) {
    crossings_[link] += messages;
  }
}

void LinkLoads::add(Rank from, Rank to, int messages) {
  const TransferPath& path = paths_->between(from, to);
  add(path.main, messages);
  for (const std::optional<Leg>& copy : {path.copy_down, path.copy_up}) {
    if (copy) {
      add(*copy, messages);
    }
  }
}

void LinkLoads::add_path(std::span<const Rank> path) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    add(path[i - 1], path[i]);
  }
}

double LinkLoads::seconds_of(const std::pair<const LinkId, int>& crossed) const {
  const auto& [link, times] = crossed;
  return times / paths_->topology().links()[index_of(link)].bandwidth.value();
}

std::optional<LinkId> LinkLoads::busiest() const {
  const auto slower = [this](const auto& a, const auto& b) {
    return seconds_of(a) < seconds_of(b);
  };
  const auto found = std::ranges::max_element(crossings_, slower);
  return found == crossings_.end() ? std::nullopt : std::optional{found->first};
}

double LinkLoads::slowest() const {
  const std::optional<LinkId> link = busiest();
  return link ? seconds_of(*crossings_.find(*link)) : 0;
}

double LinkLoads::squares() const {
  double sum = 0;
  for (const auto& crossed : crossings_) {
    sum += seconds_of(crossed) * seconds_of(crossed);
  }
  return sum;
}

}  // namespace detail

std::optional<RingBottleneck> ring_bottleneck(const TransferPaths& paths,
                                              std::span<const RingOrder> orders) {
  detail::LinkLoads loads{paths};
  for (const RingOrder& order : orders) {
    if (order.size() > 1) {
      loads.add_path(order.ranks());
      loads.add(order.ranks().back(), order.ranks().front());
    }
  }
  const std::optional<LinkId> link = loads.busiest();
  if (!link) {
    return std::nullopt;
  }
  return RingBottleneck{BytesPerSecond{static_cast<double>(orders.size()) / loads.slowest()},
                        *link};
}

}  // namespace ringcast
