#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "topology/rings/ring_state.hpp"

namespace ringcast::detail {

/// A ring in blocks: paths through a node, or single ranks, that the search moves as a whole.
using BlockRing = std::vector<std::vector<Rank>>;

/// The limits of a search. `floor`: a lower bound of the cost of the busiest link; `changes`: the
/// most changes that it tries.
struct SearchLimits {
  std::chrono::steady_clock::time_point deadline;
  double floor = 0;
  std::uint64_t seed = 1;
  std::uint64_t changes = 100'000;

  [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() >= deadline; }
};

/// Improves rings by local search. The result is never worse than `rings`.
[[nodiscard]] std::vector<BlockRing> improved_rings(const TransferPaths& paths,
                                                    std::vector<BlockRing> rings,
                                                    const SearchLimits& limits);

}  // namespace ringcast::detail
