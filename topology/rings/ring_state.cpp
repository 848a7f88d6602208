#include "topology/rings/ring_state.hpp"

#include <algorithm>

namespace ringcast::detail {

double latency_of(const TransferPath& path) {
  double latency = 0;
  for_each_leg(path, [&](const Leg& leg) { latency += leg.latency.count(); });
  return latency;
}

void RingState::hop(Rank from, Rank to, int messages) {
  const TransferPath& path = paths_->between(from, to);
  loads_.add(path, messages);
  latency_ += messages * latency_of(path);
}

void RingState::path(const std::vector<Rank>& ranks, int messages) {
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    hop(ranks[i - 1], ranks[i], messages);
  }
}

void RingState::ring(const std::vector<Rank>& ranks, int messages) {
  path(ranks, messages);
  if (ranks.size() > 1) {
    hop(ranks.back(), ranks.front(), messages);
  }
}

bool RingState::is_at_bottleneck(Rank from, Rank to) const {
  const std::optional<LinkId> busiest = loads_.busiest();
  bool crosses = false;
  for_each_leg(paths_->between(from, to), [&](const Leg& leg) {
    crosses = crosses || (busiest && std::ranges::count(leg.links, *busiest) > 0);
  });
  return crosses;
}

}  // namespace ringcast::detail
