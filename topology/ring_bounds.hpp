#pragma once

#include <string>

#include "topology/transfer_path.hpp"

namespace ringcast {

/// A bus bandwidth that cannot be exceeded, and the reason.
struct BandwidthBound {
  BytesPerSecond busbw;  // zero for one rank
  std::string reason;    // e.g. "the network cards of node3 (8 x 25 GB/s)"
};

/// No set of rings has a higher bus bandwidth.
[[nodiscard]] BandwidthBound ring_bound(const TransferPaths& paths);

/// No algorithm has a higher bus bandwidth.
[[nodiscard]] BandwidthBound algorithm_bound(const TransferPaths& paths);

}  // namespace ringcast
