#pragma once

#include <optional>
#include <vector>

#include "topology/rings/ring_improvement.hpp"

namespace ringcast::detail {

/// Compares all sets of as many rings as `start` has by the busiest link, then by the sum of
/// latencies (branch and bound), and returns the best; nothing if that takes more than
/// `limits.changes` hops or the time is over.
[[nodiscard]] std::optional<std::vector<std::vector<Rank>>> exact_rings(
    const TransferPaths& paths, const std::vector<std::vector<Rank>>& start,
    const SearchLimits& limits);

}  // namespace ringcast::detail
