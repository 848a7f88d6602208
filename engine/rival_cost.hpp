#pragma once

#include "engine/ring_cost.hpp"

namespace ringcast {

/// An all-reduce of `size` on ranks that each have a full-duplex cable of their own to one switch,
/// which is all that they share: HopCost's bandwidth is a cable's, its latency a hop's between two
/// ranks. A rank's cable carries what several others send to it at once.
struct StarShape {
  int ranks;
  Bytes size;
  /// The largest piece that travels; zero for whole chunks.
  Bytes segment_size{0};
};

// Below, S is the size, n the ranks, a the latency, b the bandwidth, g the reduction time of a
// byte. A message of h bytes in k segments, to be combined by the receiver, takes
//   A(h) = a + t + (k-1) max(t, r) + r    with t = h / (k b), r = h g / k:
// its segments come back to back, each is combined while the next comes, and the slower of the two
// sets the pace. Without a reduction it takes M(h) = a + h / b. All is exact for equal segments, as
// long as most_under_way of them take longer than a hop's latency.

/// n-1 buffers leave and reach each rank, all at once, sharing its cable: a + (n-1) S/b; then all
/// n-1 are combined: (n-1) S g. For whole buffers only; else ContractViolation.
[[nodiscard]] Seconds all_to_all_time(const StarShape& shape, const HopCost& hop);

/// One contribution after the other, then the results, which share the cable of the one rank:
///   (n-1) A(S) + a + (n-1) S/b.
[[nodiscard]] Seconds single_reducer_time(const StarShape& shape, const HopCost& hop);

/// With p the largest power of two in n, step j of log2(p) exchanges S/2^j with one partner, who
/// sends as much the other way; the way back is the same without a reduction:
///   sum over j of A(S/2^j) + M(S/2^j) = 2 log2(p) a + 2 (p-1)/p S/b + (p-1)/p S g  for k = 1,
/// and A(S) + M(S) more where n > p: the folded pairs' partners start late, and everyone depends on
/// them.
[[nodiscard]] Seconds halving_doubling_time(const StarShape& shape, const HopCost& hop);

/// For n = 2^d - 1, where both trees have d full levels; else ContractViolation. Two children share
/// their parent's cable on the way up, and it sends to both at once on the way down, so a segment
/// of both takes s = S/(k b), k segments to a half. Being a leaf in the other tree, the parent
/// sends up and receives down a segment in the same time, which its cable has room for. After a
/// segment comes its combining, R = S g / k for both children.
///   up:   (d-1) (a + s + R) + (k-1) max(s, R)   the first segment's climb, then the rest at the
///   down: (d-1) (a + s)     + (k-1) s           pace of the slowest
/// Exact while a rank's readiness for 8 segments covers the latency: k <= 8 or a <= 7 max(s, R).
[[nodiscard]] Seconds double_tree_time(const StarShape& shape, const HopCost& hop);

/// Both directions leave a rank by its one cable, so a step's two chunks of S/(2n) take as long as
/// the ring's one of S/n: 2(n-1) (a + S/(n b)). It gains where the directions have different
/// cables. For whole chunks and a reduction that costs nothing; else ContractViolation.
[[nodiscard]] Seconds two_way_ring_time(const StarShape& shape, const HopCost& hop);

}  // namespace ringcast
