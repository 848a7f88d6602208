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

/// An upper bound of the bus bandwidth of any number of rings of any orders, without latencies.
[[nodiscard]] BandwidthBound ring_bound(const TransferPaths& paths);

/// An upper bound of the bus bandwidth of any all-reduce algorithm without in-switch sums, without
/// latencies. Tighter than allreduce_lower_bound(), which knows cables but no transfer paths.
[[nodiscard]] BandwidthBound algorithm_bound(const TransferPaths& paths);

namespace detail {

/// ring_bound() of some rings, and the best mix of rings that it computes.
struct BoundAndMix {
  BandwidthBound bound;
  std::optional<RingMix> mix;
};
[[nodiscard]] BoundAndMix ring_bound_and_mix(const TransferPaths& paths,
                                             const BoundedRings& bounded);

}  // namespace detail

}  // namespace ringcast
