#pragma once

#include <optional>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

struct Cluster;

/// What one core of a socket copies while its ranks' buffers together have so many bytes.
struct CachedRate {
  Bytes touched;
  BytesPerSecond bandwidth;
  /// What it takes in that is reduced into what it has; zero: as much as it copies.
  BytesPerSecond reduce_rate{0};
  /// Of what is lent (Endpoint::lend): reduced into what it has, or answered. Zero: as all else.
  BytesPerSecond lent_rate{0};
};

/// The rates for so many bytes, from those in ascending order of bytes: the first up to its bytes;
/// between two, the time per byte is linear in the logarithm of the bytes; beyond the last none,
/// which is the memory's business. None without rates.
[[nodiscard]] std::optional<CachedRate> cached_rate(const std::vector<CachedRate>& rates,
                                                    Bytes touched);

/// The cluster as the first `ranks` ranks find it who go over a buffer of so many bytes each, again
/// and again: where a socket's caches answer, they give the rate of its cores, and its memory is no
/// limit.
[[nodiscard]] Cluster with_caches(Cluster cluster, int ranks, Bytes buffer);
/// The same, and cores move everything as fast as the faster of what is lent and what is not: a
/// machine that is never slower.
[[nodiscard]] Cluster with_fastest_caches(Cluster cluster, int ranks, Bytes buffer);

/// What the slowest core of those ranks takes in that is reduced as it comes; zero: no less than it
/// copies. Memory, beyond the last entry, is as fast as that entry says.
[[nodiscard]] BytesPerSecond cached_reduce_rate(const Cluster& cluster, int ranks, Bytes buffer);
/// The slowest core's rate of what ranks of one socket lend each other, beyond the last entry as
/// there; zero: as all else.
[[nodiscard]] BytesPerSecond cached_lent_rate(const Cluster& cluster, int ranks, Bytes buffer);

}  // namespace ringcast
