#pragma once

#include <optional>

#include "topology/rings/ring_bounds.hpp"

namespace ringcast::detail {

/// The bus bandwidth that ends a search of rings.
struct SearchGoal {
  BandwidthBound bound;  // ring_bound()
  /// The bound, or that of rings which use NVLinks only where nodes have them, if PCIe cables would
  /// add at most 5 %: libraries do not use both.
  double enough = 0;
  std::optional<RingMix> mix;  // the best of the rings that `enough` is a bound of
};
[[nodiscard]] SearchGoal search_goal(const TransferPaths& paths);

/// Whether it is proved that no set of `count` rings is faster than `busbw`, which is below
/// ring_bound(). Each ring of a faster set would have more than a `count`-th of it; a link is worth
/// as many rings as it has such shares.
[[nodiscard]] bool is_optimal(const TransferPaths& paths, std::size_t count, BytesPerSecond busbw);

}  // namespace ringcast::detail
