#pragma once

#include <vector>

#include "app/config/scenario/plan.hpp"
#include "app/report/result.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The NICs of the job's nodes that carried nothing (carried_by_link), and options with
/// which fewer NICs are idle: at most one entry. Empty for jobs of one node, for buffers with
/// fewer elements than channels times ranks, if latencies dominate (each link is busy for less than
/// half of `time`), and if no options help and the other NICs are busy for less than that.
[[nodiscard]] std::vector<IdleNics> idle_nics(const std::vector<Bytes>& carried, Seconds time,
                                              const TransferPaths& paths,
                                              const PlannedCell& planned, const Scenario& scenario);

}  // namespace ringcast
