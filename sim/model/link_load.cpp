#include "sim/model/link_load.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ringcast {

std::vector<Bytes> carried_by_link(const SimReport& report, const TransferPaths& paths) {
  std::vector<Bytes> carried(paths.topology().links().size());
  const auto add = [&carried](const Leg& leg, Bytes bytes) {
    for (const LinkId link : leg.links) {
      carried[index_of(link)] += bytes;
    }
  };
  for (const PairTraffic& pair : report.traffic) {
    const TransferPath& path = paths.between(pair.from, pair.to);
    add(path.main, pair.on_cables);
    if (path.copy_down) {
      add(*path.copy_down, pair.bytes);
    }
    if (path.copy_up) {
      add(*path.copy_up, pair.bytes);
    }
  }
  for (const auto& [direction, bytes] : report.copied) {
    for (int rank = 0; rank < report.copying_ranks; ++rank) {
      add(paths.copy_leg(Rank{rank}, direction), bytes);
    }
  }
  return carried;
}

bool streams_share_links(const SimReport& report, const TransferPaths& paths) {
  std::vector<const PairTraffic*> used_by(paths.topology().links().size());
  const auto is_shared = [&](const PairTraffic& pair, const Leg& leg) {
    return std::ranges::any_of(leg.links, [&](LinkId link) {
      const PairTraffic* const other = std::exchange(used_by[index_of(link)], &pair);
      return pair.streams > 1 || (other != nullptr && other != &pair);
    });
  };
  return std::ranges::any_of(report.traffic, [&](const PairTraffic& pair) {
    const TransferPath& path = paths.between(pair.from, pair.to);
    return pair.streams > 0 &&
           (is_shared(pair, path.main) || (path.copy_down && is_shared(pair, *path.copy_down)) ||
            (path.copy_up && is_shared(pair, *path.copy_up)));
  });
}

std::vector<BusyInterval> busy_intervals(const std::vector<DeliveredMessage>& messages,
                                         const TransferPaths& paths) {
  std::vector<std::map<Seconds, int>> changes(paths.topology().links().size());
  for (const DeliveredMessage& message : messages) {
    for (const LinkId link : paths.between(message.from, message.to).main.links) {
      ++changes[index_of(link)][message.begin];
      --changes[index_of(link)][message.end];
    }
  }
  std::vector<BusyInterval> intervals;
  for (std::size_t link = 0; link < changes.size(); ++link) {
    int flows = 0;
    Seconds begin{0};
    for (const auto& [time, change] : changes[link]) {
      if (change == 0) {
        continue;  // one message ended as another began
      }
      if (flows > 0) {
        intervals.push_back({LinkId{static_cast<int>(link)}, begin, time, flows});
      }
      flows += change;
      begin = time;
    }
  }
  return intervals;
}

}  // namespace ringcast
