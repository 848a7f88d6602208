#pragma once

#include <optional>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

struct Cluster;

/// Copy rate of one core of a socket whose ranks' buffers have a working set of `touched`.
struct CachedRate {
  Bytes touched;
  BytesPerSecond bandwidth;
  /// Rate of a receive that reduces; zero: `bandwidth`.
  BytesPerSecond reduce_rate{0};
  /// Rate of slices sent with Returns (Endpoint): reduced on arrival, or answered. Zero:
  /// `bandwidth`.
  BytesPerSecond lent_rate{0};
  friend bool operator==(const CachedRate&, const CachedRate&) = default;
};

/// Interpolates `rates`, which ascend by working set: the first entry holds for smaller ones,
/// between two entries the time per byte is linear in the logarithm of the bytes. Absent beyond the
/// last, where the bandwidth of the memory is the limit.
[[nodiscard]] std::optional<CachedRate> cached_rate(const std::vector<CachedRate>& rates,
                                                    Bytes touched);

/// The cluster for runs of its first `ranks` ranks with a buffer of `buffer` bytes each. If the
/// working set fits a socket's caches, these determine the rate of its cores, and its memory has no
/// limit.
[[nodiscard]] Cluster with_caches(Cluster cluster, int ranks, Bytes buffer);
/// The same with the higher of the rates for lent slices and for other messages, for lower bounds.
[[nodiscard]] Cluster with_fastest_caches(Cluster cluster, int ranks, Bytes buffer);

/// Rate of a fused receive and reduction on the slowest core of those ranks; zero: as copies. The
/// last entry also holds for larger working sets.
[[nodiscard]] BytesPerSecond cached_reduce_rate(const Cluster& cluster, int ranks, Bytes buffer);
/// Rate of lent slices on the slowest core of those ranks; zero: as other messages. The last entry
/// also holds for larger working sets.
[[nodiscard]] BytesPerSecond cached_lent_rate(const Cluster& cluster, int ranks, Bytes buffer);

}  // namespace ringcast
