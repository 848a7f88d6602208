#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "sim/model/sim_report.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The bytes that crossed each link of the topology (index: LinkId), by messages and copies. A
/// message that crosses a link twice counts twice.
[[nodiscard]] std::vector<Bytes> carried_by_link(const SimReport& report,
                                                 const TransferPaths& paths);
/// Whether any link is on the paths of two streams, which may then slow each other down.
[[nodiscard]] bool streams_share_links(const SimReport& report, const TransferPaths& paths);
/// The sum of `amount(pair)` over the pairs of one sender, for the sender with the largest.
template <typename Amount>
[[nodiscard]] auto most_of_a_sender(const std::vector<PairTraffic>& traffic, const Amount& amount) {
  std::map<Rank, decltype(amount(traffic.front()))> sums;
  decltype(amount(traffic.front())) most{};
  for (const PairTraffic& pair : traffic)
    most = std::max(most, sums[pair.from] += amount(pair));
  return most;
}
/// The most bytes that any one rank sent.
[[nodiscard]] inline Bytes most_sent(const std::vector<PairTraffic>& traffic) {
  return most_of_a_sender(traffic, [](const PairTraffic& pair) { return pair.bytes; });
}

/// From `begin` to `end`, `flows` messages were on the wire of a link at once.
struct BusyInterval {
  LinkId link;
  Seconds begin;
  Seconds end;
  int flows;
};
/// The busy times of each link, link by link, in time order, without idle stretches.
[[nodiscard]] std::vector<BusyInterval> busy_intervals(
    const std::vector<DeliveredMessage>& messages, const TransferPaths& paths);

}  // namespace ringcast
