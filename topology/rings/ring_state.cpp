#include "topology/rings/ring_state.hpp"

#include <algorithm>

namespace ringcast::detail {

double latency_of(const TransferPath& path) {
  double latency = path.main.latency.count();
  for (const std::optional<Leg>* copy : {&path.copy_down, &path.copy_up}) {
    latency += *copy ? (*copy)->latency.count() : 0;
  }
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
  const TransferPath& path = paths_->between(from, to);
  const auto crosses = [&](const Leg& leg) {
    return std::ranges::find(leg.links, *busiest) != leg.links.end();
  };
  return busiest && (crosses(path.main) || (path.copy_down && crosses(*path.copy_down)) ||
                     (path.copy_up && crosses(*path.copy_up)));
}

}  // namespace ringcast::detail
