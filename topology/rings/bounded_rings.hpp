#pragma once

#include <set>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// The rings, or transfers, that a bound is for; by default any.
struct BoundedRings {
  /// Within these nodes, ranks send to each other over NVLinks only.
  std::set<int> nvlink_nodes = {};
  /// The bus bandwidth of each ring is at least this, so a link is worth as many rings as it
  /// carries at this rate. Zero: rings of any rates.
  BytesPerSecond least_rate{0};

  /// Whether they may send between two ranks of a node by this path.
  [[nodiscard]] bool may_use(const TransferPath& path, int node) const {
    return path.kind == PathKind::nvlink || !nvlink_nodes.contains(node);
  }
  /// The highest rate of transfers that cross a link `times` times each, in bytes per second.
  [[nodiscard]] double rate_over(BytesPerSecond bandwidth, int times = 1) const;
};

}  // namespace ringcast::detail
