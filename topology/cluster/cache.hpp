#pragma once

#include <optional>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

struct Cluster;

/// Copy rate of one core of a socket while the buffers of its ranks have a working set of
/// `touched`.
struct CachedRate {
  Bytes touched;
  BytesPerSecond bandwidth;
  /// Rate of a receive that reduces; zero: `bandwidth`.
  BytesPerSecond reduce_rate{0};
  /// Rate of slices sent with Returns (Endpoint): reduced on arrival, or answered. Zero: as others.
  BytesPerSecond lent_rate{0};
  friend bool operator==(const CachedRate&, const CachedRate&) = default;
};

/// Interpolates `rates`, which ascend by working set: the first entry holds for smaller ones,
/// between two entries the time per byte is linear in the logarithm of the bytes, and beyond the
/// last the memory's bandwidth decides, so there is none.
[[nodiscard]] std::optional<CachedRate> cached_rate(const std::vector<CachedRate>& rates,
                                                    Bytes touched);

/// The cluster as its first `ranks` ranks see it when each reuses a buffer of `buffer` bytes: where
/// the working set fits a socket's caches, they set its cores' rate, and its memory is no limit.
[[nodiscard]] Cluster with_caches(Cluster cluster, int ranks, Bytes buffer);
/// The same with the faster of both rates for lent slices and other messages: an optimistic
/// machine, for lower bounds.
[[nodiscard]] Cluster with_fastest_caches(Cluster cluster, int ranks, Bytes buffer);

/// Rate of a fused receive and reduction on the slowest core of those ranks; zero: as it copies.
/// The last entry holds for larger working sets too.
[[nodiscard]] BytesPerSecond cached_reduce_rate(const Cluster& cluster, int ranks, Bytes buffer);
/// Rate of lent slices on the slowest core of those ranks; zero: as other messages. The last entry
/// holds for larger working sets too.
[[nodiscard]] BytesPerSecond cached_lent_rate(const Cluster& cluster, int ranks, Bytes buffer);

}  // namespace ringcast
