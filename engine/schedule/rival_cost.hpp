#pragma once

#include "engine/schedule/ring_cost.hpp"

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

/// Ranks that serve are workers too, or, dedicated, further ranks on cables of their own.
struct StarServers {
  int count = 1;
  bool dedicated = false;
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

/// For m nodes of l = `ranks_per_node` ranks each: the ring's phases inside a node on chunks of
/// S/l, and the ring across the nodes on chunks of S/n. No two hops share a cable, and each phase
/// ends on all ranks at once, so the times add up; for one node it is the ring's own time.
/// ContractViolation unless n = m l and n divides S.
[[nodiscard]] Seconds hierarchical_ring_time(const StarShape& shape, int ranks_per_node,
                                             const HopCost& hop);

/// For whole shards of S/k on k <= n servers; else ContractViolation. In each round a server takes
/// the shard of a worker that sends to no other server, so the whole cable is theirs: A(S/k). Then
/// all servers send their results at once. A cable out of a server carries as many as it has
/// clients, c; one into a worker k at most, no more than c; so all flow at b/c.
///   workers serve, c = n-1:    c A(S/k) + a + c S/(k b)
///   dedicated, c = n:          a + S/(k b) + (c-1) A(S/k) + a + c S/(k b)
/// A dedicated server has nothing to combine with what comes first. One server that works is the
/// single reducer.
[[nodiscard]] Seconds parameter_server_time(const StarShape& shape, const StarServers& servers,
                                            const HopCost& hop);

/// What no sequence of the segments can beat, the larger of two. Into a server c shards must come
/// before the last segment, of h bytes, is complete, and then it must go out to all; out of a
/// server that works go its pushes to the k-1 others as well:
///   2 a + c S/(k b) + c h/b   and   a + (c + k-1) S/(k b)
/// No exact form: where pushes and results share a cable out, the order in which they end decides.
/// For dedicated servers and for a single one they do not: a block of segments more than the first
/// is what it takes, about half as long as whole shards.
[[nodiscard]] Seconds parameter_server_bound(const StarShape& shape, const StarServers& servers,
                                             const HopCost& hop);

/// When worker `place` of n (from 0) has its last answer from one server, after so many
/// `iterations` of parameter_server_async.hpp, S being the parameters. All first pushes come at
/// once. Then the server takes P = a + S/b + S g for each: it combines, and waits until the answer
/// is there. With two workers or more the next push comes while others are served, and the cable
/// out of the server is the limit:
///   a + n S/b + (iterations - 1) n P + (place + 1) P
/// and for one worker, whom nothing hides, iterations (a + S/b + P).
[[nodiscard]] Seconds parameter_server_async_time(const StarShape& shape, int iterations, int place,
                                                  const HopCost& hop);

}  // namespace ringcast
