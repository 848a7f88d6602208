#include "sim/link_load.hpp"

#include <algorithm>
#include <map>

namespace ringcast {

std::vector<Bytes> carried_by_link(const std::vector<PairTraffic>& traffic,
                                   const Topology& topology) {
  std::vector<Bytes> carried(topology.links().size());
  for (const PairTraffic& pair : traffic) {
    for (const LinkId link : topology.route(pair.from, pair.to).links) {
      carried[index_of(link)] += pair.bytes;
    }
  }
  return carried;
}

Bytes most_sent(const std::vector<PairTraffic>& traffic) {
  std::map<Rank, Bytes> sent;
  Bytes most;
  for (const PairTraffic& pair : traffic) {
    Bytes& total = sent[pair.from];
    total += pair.bytes;
    most = std::max(most, total);
  }
  return most;
}

std::vector<BusyInterval> busy_intervals(const std::vector<DeliveredMessage>& messages,
                                         const Topology& topology) {
  std::vector<std::map<Seconds, int>> changes(topology.links().size());
  for (const DeliveredMessage& message : messages) {
    for (const LinkId link : topology.route(message.from, message.to).links) {
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
