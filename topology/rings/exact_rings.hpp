#pragma once

#include <optional>
#include <vector>

#include "topology/rings/ring_improvement.hpp"

namespace ringcast::detail {

/// The best of all sets with as many rings as `start`, by branch and bound: compared by the busiest
/// link, then by the sum of latencies. Nothing if the search would try more than `limits.changes`
/// hops or exceed the time limit.
[[nodiscard]] std::optional<std::vector<std::vector<Rank>>> exact_rings(
    const TransferPaths& paths, const std::vector<std::vector<Rank>>& start,
    const SearchLimits& limits);

}  // namespace ringcast::detail
