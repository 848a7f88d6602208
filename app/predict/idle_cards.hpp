#pragma once

#include <vector>

#include "app/config/scenario/plan.hpp"
#include "app/report/result.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The network cards that carried nothing (carried_by_link), of the nodes whose GPUs took part, and
/// the options with which fewer would: at most one entry. Empty for jobs of one node, where the
/// buffer is too small to give each channel and rank an element, and where latencies dominate: the
/// other cards are busy for less than half of the `time`.
[[nodiscard]] std::vector<IdleCards> idle_cards(const std::vector<Bytes>& carried, Seconds time,
                                                const TransferPaths& paths,
                                                const PlannedCell& planned,
                                                const Scenario& scenario);

}  // namespace ringcast
