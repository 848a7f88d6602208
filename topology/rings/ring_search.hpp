#pragma once

#include <cstdint>
#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/rings/ring_bounds.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The number of rings to search for, and the limits of the search.
struct RingSearch {
  /// The number of rings. Zero: the number with the highest bus bandwidth, at most 16; among equal
  /// ones the lowest.
  int channels = 0;
  /// The search returns its best rings when this has elapsed. The effort is also bounded in steps,
  /// so that on a fast enough machine the result depends on the seed only.
  Seconds time_limit{10};
  std::uint64_t seed = 1;
};

/// Rings that carry equal shares of a buffer.
struct FoundRings {
  std::vector<RingOrder> rings;  // at least one
  /// As ring_bottleneck() has it: without latencies and overheads. Zero for one rank.
  BytesPerSecond busbw;
  /// No set of this many rings is faster: all were compared, or this one reaches the bound.
  bool proved_optimal = false;
  BandwidthBound bound{};  // ring_bound(), where they are the result of a search
};

/// Searches the ring orders with the highest bus bandwidth, and among these the lowest latency.
/// Never worse than the order by rank number or channel_rings(), from which it starts. Throws
/// ContractViolation for a negative number of channels.
[[nodiscard]] FoundRings search_rings(const TransferPaths& paths, const RingSearch& search);

}  // namespace ringcast
