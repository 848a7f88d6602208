#pragma once

#include <cstdint>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// One hop of a ring, as the alpha-beta-gamma model sees it.
struct HopCost {
  Seconds latency;
  BytesPerSecond bandwidth;
  /// Time to combine one byte, after it has come; zero where the reduction is part of the transfer.
  Seconds reduce_per_byte{0};
  /// Time per message that delays the next message; not part of any message's latency.
  Seconds overhead{0};
};

/// One step of a ring: the largest chunk, and the number of segments that it is cut into.
struct RingShape {
  int ranks;
  Bytes largest_chunk;
  int segments = 1;
};

/// Time of an all-reduce round a ring of equal hops that share nothing. With t and r the transfer
/// (its overhead included) and reduction time of one segment, k segments a chunk, latency a, and G
/// = max(k t, t + a) the period of a gathering step:
///   (n-2) G + a + t + (k-1) max(t, r) + (n-1) max(k t, t + a + r)
/// unless the reduction is the slowest of all (r > t and k r >= t + a + r), when it is
///   (n-2) G + max(2(a + t) + (n-1) k r, a + n k t).
/// For k = 1 this is the textbook's 2(n-1)(t + a) + (n-1) r.
/// Exact for equal segments (up to 256 of them, the most that a rank has in flight; or more, if 256
/// take longer than one with its latency and reduction): it solves the recursion that
/// ring_cost_test.cpp spells out. For k = 1 exact with any count, since the largest chunk meets the
/// largest wait at every step.
[[nodiscard]] Seconds ring_allreduce_time(const RingShape& shape, const HopCost& hop);

/// The same for one phase alone, as exact; nothing for one rank. A segment that comes while the one
/// before is being combined waits, and the slowest of wire, reduction and round trip of a segment
/// sets the pace of all but the first step:
///   reduce-scatter: a + t + (k-1) max(t, r) + r + (n-2) max(k max(t, r), t + a + r)
///   all-gather:     a + k t + (n-2) G
[[nodiscard]] Seconds ring_reduce_scatter_time(const RingShape& shape, const HopCost& hop);
[[nodiscard]] Seconds ring_all_gather_time(const RingShape& shape, const HopCost& hop);

/// S/t, and S/t * 2(n-1)/n: comparable with the wire's speed whatever n is (nccl-tests,
/// doc/PERFORMANCE.md). busbw is zero for one rank, which moves nothing.
[[nodiscard]] BytesPerSecond algorithm_bandwidth(Bytes size, Seconds time);
[[nodiscard]] BytesPerSecond bus_bandwidth(int ranks, Bytes size, Seconds time);

}  // namespace ringcast
