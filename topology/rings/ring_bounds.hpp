#pragma once

#include <optional>
#include <string>

#include "topology/rings/ring_mix.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// A bus bandwidth that cannot be exceeded, and the reason.
struct BandwidthBound {
  BytesPerSecond busbw;  // zero for one rank, and where no link limits
  std::string reason;    // e.g. "2 links from node0.nic0, among them ... (50 GB/s)"
};

/// No rings have a higher bus bandwidth, whatever their number and orders. Without latencies. Both
/// bounds leave out PCIe cables beside NVLinks that carry rings over all ranks of a node if they
/// would add at most 5 %: libraries use the one or the other.
[[nodiscard]] BandwidthBound ring_bound(const TransferPaths& paths);

/// No all-reduce has a higher bus bandwidth, whatever its algorithm. Without latencies; not for
/// sums in switches.
[[nodiscard]] BandwidthBound algorithm_bound(const TransferPaths& paths);

namespace detail {

/// ring_bound() with the best mix of rings, which it computes on the way.
struct BoundAndMix {
  BandwidthBound bound;
  std::optional<RingMix> mix;
};
[[nodiscard]] BoundAndMix ring_bound_and_mix(const TransferPaths& paths);

}  // namespace detail

}  // namespace ringcast
