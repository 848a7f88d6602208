#pragma once

#include <vector>

#include "sim/model/sim_report.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The bytes that crossed each link of the topology (index: LinkId), counted message by message; a
/// link that a message crosses twice carries it twice.
[[nodiscard]] std::vector<Bytes> carried_by_link(const SimReport& report,
                                                 const TransferPaths& paths);
/// Whether a link is on the paths of two streams, which may so slow each other down.
[[nodiscard]] bool streams_share_links(const SimReport& report, const TransferPaths& paths);
/// The most bytes that any one rank sent.
[[nodiscard]] Bytes most_sent(const std::vector<PairTraffic>& traffic);

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
