#include "engine/schedule/rival_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

double segments(const StarShape& shape, double bytes) {
  const auto most = static_cast<double>(shape.segment_size.count());
  return most > 0 ? std::max(1.0, std::ceil(bytes / most)) : 1.0;
}

Seconds transfer(double bytes, const HopCost& hop) {
  return Seconds{bytes / hop.bandwidth.value()};
}

Seconds moved(double bytes, const HopCost& hop) {
  return hop.latency + transfer(bytes, hop);
}

Seconds combined(const StarShape& shape, double bytes, const HopCost& hop) {
  const double k = segments(shape, bytes);
  const Seconds t = transfer(bytes, hop) / k;
  const Seconds r = bytes / k * hop.reduce_per_byte;
  return hop.latency + t + (k - 1) * std::max(t, r) + r;
}

double bytes_of(const StarShape& shape) {
  return static_cast<double>(shape.size.count());
}

/// One rank alone, or no data: nothing is sent.
bool is_idle(const StarShape& shape) {
  return shape.ranks == 1 || shape.size == Bytes{0};
}

/// Of a ring of `ranks` that has chunks of an `owners`th of the buffer.
RingShape ring_of(const StarShape& shape, int ranks, int owners) {
  const Bytes chunk{shape.size.count() / static_cast<std::uint64_t>(owners)};
  return {ranks, chunk, static_cast<int>(segments(shape, static_cast<double>(chunk.count())))};
}

/// The ranks that a server sums for, but for itself.
double clients(const StarShape& shape, const StarServers& servers) {
  return shape.ranks - (servers.dedicated ? 0 : 1);
}

bool is_idle(const StarShape& shape, const StarServers& servers) {
  return clients(shape, servers) == 0 || shape.size == Bytes{0};
}

}  // namespace

Seconds all_to_all_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0}, "no closed form of all-to-all in segments");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return moved(others * bytes_of(shape), hop) + others * bytes_of(shape) * hop.reduce_per_byte;
}

Seconds single_reducer_time(const StarShape& shape, const HopCost& hop) {
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return others * combined(shape, bytes_of(shape), hop) + moved(others * bytes_of(shape), hop);
}

Seconds halving_doubling_time(const StarShape& shape, const HopCost& hop) {
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

Seconds double_tree_time(const StarShape& shape, const HopCost& hop) {
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

Seconds two_way_ring_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0} && hop.reduce_per_byte == Seconds{0},
         "no closed form of a two-way ring with segments or a reduction that takes time");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  return 2 * (n - 1) * moved(bytes_of(shape) / n, hop);
}

Seconds hierarchical_ring_time(const StarShape& shape, int ranks_per_node, const HopCost& hop) {
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

Seconds parameter_server_time(const StarShape& shape, const StarServers& servers,
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

Seconds parameter_server_bound(const StarShape& shape, const StarServers& servers,
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

Seconds parameter_server_async_time(const StarShape& shape, int iterations, int place,
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
