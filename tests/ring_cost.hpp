#pragma once

#include <algorithm>

#include "engine/numbers/units.hpp"

/// Closed forms of a ring of equal hops: the simulation is compared with them.

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

inline Seconds transfer_of_segment(const RingShape& shape, const HopCost& hop) {
  return hop.overhead + shape.largest_chunk / hop.bandwidth / static_cast<double>(shape.segments);
}

inline Seconds reduction_of_segment(const RingShape& shape, const HopCost& hop) {
  return static_cast<double>(shape.largest_chunk.count()) / static_cast<double>(shape.segments) *
         hop.reduce_per_byte;
}

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
inline Seconds ring_allreduce_time(const RingShape& shape, const HopCost& hop) {
  if (shape.ranks == 1) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  const double k = shape.segments;
  const Seconds transfer = transfer_of_segment(shape, hop);
  const Seconds reduction = reduction_of_segment(shape, hop);
  // A rank sends the segments of a step back to back (k t), combines them one after the other (k r)
  // and can send one on only after it has come and been combined (t + a + r): the slowest of the
  // three is the period of a step.
  const Seconds first = hop.latency + transfer;
  const Seconds gathering = (n - 2) * std::max(k * transfer, first);
  if (reduction > transfer && k * reduction >= first + reduction) {
    // The reductions follow each other without a pause; the wire may lag behind only once.
    return gathering +
           std::max(2 * first + (n - 1) * k * reduction, hop.latency + n * k * transfer);
  }
  return gathering + first + (k - 1) * std::max(transfer, reduction) +
         (n - 1) * std::max(k * transfer, first + reduction);
}

/// The same for one phase alone, as exact; nothing for one rank. A segment that comes while the one
/// before is being combined waits, and the slowest of wire, reduction and round trip of a segment
/// sets the pace of all but the first step:
///   reduce-scatter: a + t + (k-1) max(t, r) + r + (n-2) max(k max(t, r), t + a + r)
///   all-gather:     a + k t + (n-2) G
inline Seconds ring_reduce_scatter_time(const RingShape& shape, const HopCost& hop) {
  if (shape.ranks == 1) {
    return Seconds{0};
  }
  const double k = shape.segments;
  const Seconds transfer = transfer_of_segment(shape, hop);
  const Seconds reduction = reduction_of_segment(shape, hop);
  const Seconds slower = std::max(transfer, reduction);
  const Seconds trip = hop.latency + transfer + reduction;
  return trip + (k - 1) * slower + (shape.ranks - 2.0) * std::max(k * slower, trip);
}

inline Seconds ring_all_gather_time(const RingShape& shape, const HopCost& hop) {
  HopCost moving = hop;
  moving.reduce_per_byte = Seconds{0};
  return ring_reduce_scatter_time(shape, moving);
}

}  // namespace ringcast
