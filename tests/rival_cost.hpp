#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/numbers/error.hpp"
#include "tests/ring_cost.hpp"

/// Closed forms of the ring's rivals on a star: the simulation is held against them.

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
// long as max_in_flight of them (in halving and doubling half as many each way) take longer than a
// hop's latency.

inline double segments(const StarShape& shape, double bytes) {
  const auto most = static_cast<double>(shape.segment_size.count());
  return most > 0 ? std::max(1.0, std::ceil(bytes / most)) : 1.0;
}

inline Seconds transfer(double bytes, const HopCost& hop) {
  return Seconds{bytes / hop.bandwidth.value()};
}

inline Seconds moved(double bytes, const HopCost& hop) {
  return hop.latency + transfer(bytes, hop);
}

inline Seconds combined(const StarShape& shape, double bytes, const HopCost& hop) {
  const double k = segments(shape, bytes);
  const Seconds t = transfer(bytes, hop) / k;
  const Seconds r = bytes / k * hop.reduce_per_byte;
  return hop.latency + t + (k - 1) * std::max(t, r) + r;
}

inline double bytes_of(const StarShape& shape) {
  return static_cast<double>(shape.size.count());
}

/// One rank alone, or no data: nothing is sent.
inline bool is_idle(const StarShape& shape) {
  return shape.ranks == 1 || shape.size == Bytes{0};
}

/// A ring of `ranks` whose chunks are an `owners`th of the buffer.
inline RingShape ring_of(const StarShape& shape, int ranks, int owners) {
  const Bytes chunk{shape.size.count() / static_cast<std::uint64_t>(owners)};
  return {ranks, chunk, static_cast<int>(segments(shape, static_cast<double>(chunk.count())))};
}

/// The ranks other than itself that a server sums for.
inline double clients(const StarShape& shape, const StarServers& servers) {
  return shape.ranks - (servers.dedicated ? 0 : 1);
}

inline bool is_idle(const StarShape& shape, const StarServers& servers) {
  return clients(shape, servers) == 0 || shape.size == Bytes{0};
}

/// n-1 buffers leave and reach each rank, all at once, sharing its cable: a + (n-1) S/b; then all
/// n-1 are combined: (n-1) S g. For whole buffers only; else ContractViolation.
inline Seconds all_to_all_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0}, "no closed form of all-to-all in segments");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return moved(others * bytes_of(shape), hop) + others * bytes_of(shape) * hop.reduce_per_byte;
}

/// One contribution after the other, then the results, which share the cable of the one rank:
///   (n-1) A(S) + a + (n-1) S/b.
inline Seconds single_reducer_time(const StarShape& shape, const HopCost& hop) {
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return others * combined(shape, bytes_of(shape), hop) + moved(others * bytes_of(shape), hop);
}

/// With p the largest power of two in n, step j of log2(p) exchanges S/2^j with one partner, who
/// sends as much the other way; the way back is the same without a reduction:
///   sum over j of A(S/2^j) + M(S/2^j) = 2 log2(p) a + 2 (p-1)/p S/b + (p-1)/p S g  for k = 1,
/// and A(S) + M(S) more where n > p: the folded pairs' partners start late, and everyone depends on
/// them.
inline Seconds halving_doubling_time(const StarShape& shape, const HopCost& hop) {
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const auto exchanging = static_cast<int>(std::bit_floor(static_cast<unsigned>(shape.ranks)));
  Seconds time{0};
  if (shape.ranks > exchanging) {
    time += combined(shape, bytes_of(shape), hop) + moved(bytes_of(shape), hop);
  }
  for (int parts = 2; parts <= exchanging; parts *= 2) {
    time += combined(shape, bytes_of(shape) / parts, hop) + moved(bytes_of(shape) / parts, hop);
  }
  return time;
}

/// For n = 2^d - 1, where both trees have d full levels; else ContractViolation. Two children share
/// their parent's cable on the way up, and it sends to both at once on the way down, so a segment
/// of both takes s = S/(k b), k segments to a half. Being a leaf in the other tree, the parent
/// sends up and receives down a segment in the same time, which its cable has room for. After a
/// segment comes its combining, R = S g / k for both children.
///   up:   (d-1) (a + s + R) + (k-1) max(s, R)   the first segment's climb, then the rest at the
///   down: (d-1) (a + s)     + (k-1) s           pace of the slowest
/// Exact for whole halves; in segments a bound, as results come down while other segments go up.
inline Seconds double_tree_time(const StarShape& shape, const HopCost& hop) {
  const auto levels = std::bit_width(static_cast<unsigned>(shape.ranks));
  expect(shape.ranks == (1 << levels) - 1, "no closed form of trees of {} ranks", shape.ranks);
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double climb = static_cast<double>(levels) - 1;
  const double k = segments(shape, bytes_of(shape) / 2);
  const Seconds s = transfer(bytes_of(shape), hop) / k;
  const Seconds r = bytes_of(shape) / k * hop.reduce_per_byte;
  const Seconds up = climb * (hop.latency + s + r) + (k - 1) * std::max(s, r);
  const Seconds down = climb * (hop.latency + s) + (k - 1) * s;
  return up + down;
}

/// Both directions leave a rank by its one cable, so a step's two chunks of S/(2n) take as long as
/// the ring's one of S/n: 2(n-1) (a + S/(n b)). It gains where the directions have different
/// cables. For whole chunks and a reduction that costs nothing; else ContractViolation.
inline Seconds two_way_ring_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0} && hop.reduce_per_byte == Seconds{0},
         "no closed form of a two-way ring with segments or a reduction that takes time");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  return 2 * (n - 1) * moved(bytes_of(shape) / n, hop);
}

/// For m nodes of l = `ranks_per_node` ranks each: the ring's phases inside a node on chunks of
/// S/l, and the ring across the nodes on chunks of S/n. No two hops share a cable, and each phase
/// ends on all ranks at once, so the times add up; for one node it is the ring's own time.
/// ContractViolation unless n = m l and n divides S.
inline Seconds hierarchical_ring_time(const StarShape& shape, int ranks_per_node,
                                      const HopCost& hop) {
  expect(ranks_per_node > 0 && shape.ranks % ranks_per_node == 0 &&
             shape.size.count() % static_cast<std::uint64_t>(shape.ranks) == 0,
         "no closed form of {} bytes on {} ranks, {} on a node", shape.size.count(), shape.ranks,
         ranks_per_node);
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const int nodes = shape.ranks / ranks_per_node;
  const RingShape inside = ring_of(shape, ranks_per_node, ranks_per_node);
  if (nodes == 1) {
    return ring_allreduce_time(inside, hop);
  }
  return ring_reduce_scatter_time(inside, hop) +
         ring_allreduce_time(ring_of(shape, nodes, shape.ranks), hop) +
         ring_all_gather_time(inside, hop);
}

/// For whole shards of S/k on k <= n servers; else ContractViolation. In each round a server takes
/// the shard of a worker that sends to no other server, so the whole cable is theirs: A(S/k). Then
/// all servers send their results at once. A cable out of a server carries as many as it has
/// clients, c; one into a worker k at most, no more than c; so all flow at b/c.
///   workers serve, c = n-1:    c A(S/k) + a + c S/(k b)
///   dedicated, c = n:          a + S/(k b) + (c-1) A(S/k) + a + c S/(k b)
/// A dedicated server has nothing to combine with what comes first. One server that works is the
/// single reducer.
inline Seconds parameter_server_time(const StarShape& shape, const StarServers& servers,
                                     const HopCost& hop) {
  expect(shape.segment_size == Bytes{0} && servers.count <= shape.ranks,
         "no closed form of {} servers of {} workers in segments of {} bytes", servers.count,
         shape.ranks, shape.segment_size.count());
  if (is_idle(shape, servers)) {
    return Seconds{0};
  }
  const double shard = bytes_of(shape) / servers.count;
  const double others = clients(shape, servers);
  const Seconds replaced = servers.dedicated ? moved(shard, hop) : Seconds{0};
  const double sums = servers.dedicated ? others - 1 : others;
  return replaced + sums * combined(shape, shard, hop) + moved(others * shard, hop);
}

/// A lower bound for any sequence of the segments, the larger of two. Into a server c shards must
/// come before the last segment, of h bytes, is complete, and then it must go out to all; out of a
/// server that works go its pushes to the k-1 others as well:
///   2 a + c S/(k b) + c h/b   and   a + (c + k-1) S/(k b)
/// No exact form: where pushes and results share a cable out, the order in which they end decides.
/// For dedicated servers and for a single one they do not: a block of segments more than the first
/// is what it takes, about half as long as whole shards.
inline Seconds parameter_server_bound(const StarShape& shape, const StarServers& servers,
                                      const HopCost& hop) {
  if (is_idle(shape, servers)) {
    return Seconds{0};
  }
  const double shard = bytes_of(shape) / servers.count;
  const double others = clients(shape, servers);
  const double pushes = servers.dedicated ? 0 : servers.count - 1;
  return std::max(moved(others * shard, hop) + moved(others * shard / segments(shape, shard), hop),
                  moved((others + pushes) * shard, hop));
}

/// The time at which worker `place` of n (from 0) has its last answer from one server, after so
/// many `iterations` of parameter_server_async.hpp, S being the parameters. All first pushes come
/// at once. Then the server takes P = a + S/b + S g for each: it combines, and waits until the
/// answer is there. With two workers or more the next push comes while others are served, and the
/// cable out of the server is the limit:
///   a + n S/b + (iterations - 1) n P + (place + 1) P
/// and for one worker, whom nothing hides, iterations (a + S/b + P).
inline Seconds parameter_server_async_time(const StarShape& shape, int iterations, int place,
                                           const HopCost& hop) {
  expect(shape.segment_size == Bytes{0} && place >= 0 && place < shape.ranks,
         "no closed form of worker {} of {} in segments of {} bytes", place, shape.ranks,
         shape.segment_size.count());
  if (shape.size == Bytes{0}) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  const Seconds served = combined(shape, bytes_of(shape), hop);
  if (shape.ranks == 1) {
    return iterations * (moved(bytes_of(shape), hop) + served);
  }
  return moved(n * bytes_of(shape), hop) + ((iterations - 1) * n + place + 1) * served;
}

}  // namespace ringcast
