#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "topology/rings/ring_state.hpp"

namespace ringcast::detail {

/// A ring in blocks: paths through a node, or single ranks, that the search moves as a whole.
using BlockRing = std::vector<std::vector<Rank>>;

/// How long a search goes on. `floor`: the least cost of the busiest link that is possible;
/// `changes`: how many it tries at most.
struct SearchLimits {
  std::chrono::steady_clock::time_point deadline;
  double floor = 0;
  std::uint64_t seed = 1;
  std::uint64_t changes = 100'000;

  [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() >= deadline; }
};

/// Improves rings by local search from the given ones, never to worse ones.
[[nodiscard]] std::vector<BlockRing> improved_rings(const TransferPaths& paths,
                                                    std::vector<BlockRing> rings,
                                                    const SearchLimits& limits);

}  // namespace ringcast::detail
