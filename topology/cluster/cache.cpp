#include "topology/cluster/cache.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// Finds the socket of each of the first `ranks` processes; -1 for all other vertices.
std::vector<int> sockets_of_ranks(const Cluster& cluster, int ranks) {
  std::vector<bool> takes_part(cluster.vertices.size());
  const std::vector<int> vertices = rank_vertices(cluster);
  for (const int vertex : std::span{vertices}.first(std::min(vertices.size(), index(ranks)))) {
    takes_part[index(vertex)] = cluster.vertex(vertex).kind == VertexKind::process;
  }
  std::vector<int> socket_of(cluster.vertices.size(), -1);
  for (const Cable& cable : cluster.cables) {
    if (takes_part[index(cable.a)]) socket_of[index(cable.a)] = cable.b;
    if (takes_part[index(cable.b)]) socket_of[index(cable.b)] = cable.a;
  }
  return socket_of;
}

/// Interpolates the time per byte of two rates; zero if one of them is unknown: zero.
BytesPerSecond between(BytesPerSecond a, BytesPerSecond b, double part) {
  if (a == BytesPerSecond{0} || b == BytesPerSecond{0}) return BytesPerSecond{0};
  return BytesPerSecond{1 / std::lerp(1 / a.value(), 1 / b.value(), part)};
}

BytesPerSecond reduce_rate_of(const CachedRate& rate) {
  return rate.reduce_rate > BytesPerSecond{0} ? rate.reduce_rate : rate.bandwidth;
}

/// Calls `action` with each socket that has ranks, and their working set; `socket_of`: as
/// sockets_of_ranks returns it.
template <typename Action>
void for_sockets_in_use(const std::vector<int>& socket_of, Bytes buffer, const Action& action) {
  std::vector<std::uint64_t> ranks(socket_of.size());
  for (const int socket : socket_of)
    if (socket >= 0) ++ranks[index(socket)];
  for (std::size_t socket = 0; socket < ranks.size(); ++socket) {
    const Bytes touched = ranks[socket] * buffer;
    if (touched > Bytes{0}) action(socket, touched);
  }
}

/// Calls `action` with each cable between a socket and one of its ranks, and the socket.
template <typename Action>
void for_cores(Cluster& cluster, const std::vector<int>& socket_of, const Action& action) {
  for (Cable& cable : cluster.cables) {
    for (const int end : {cable.a, cable.b}) {
      const int socket = socket_of[index(end)];
      if (socket >= 0) action(cable, index(socket));
    }
  }
}

/// cached_rate(), or the last entry for larger working sets: its reduce_rate and lent_rate hold
/// there.
CachedRate rate_or_last(const std::vector<CachedRate>& rates, Bytes touched) {
  return rates.empty() ? CachedRate{} : cached_rate(rates, touched).value_or(rates.back());
}

}  // namespace

std::optional<CachedRate> cached_rate(const std::vector<CachedRate>& rates, Bytes touched) {
  const auto next =
      std::ranges::find_if(rates, [&](const CachedRate& rate) { return touched <= rate.touched; });
  if (next == rates.end()) return std::nullopt;
  if (next == rates.begin()) return *next;
  const CachedRate& before = *(next - 1);
  const auto log = [](Bytes bytes) { return std::log(static_cast<double>(bytes.count())); };
  const double part =
      (log(touched) - log(before.touched)) / (log(next->touched) - log(before.touched));
  const bool reduces_as_it_copies =
      std::max(before.reduce_rate, next->reduce_rate) == BytesPerSecond{0};
  return CachedRate{touched, between(before.bandwidth, next->bandwidth, part),
                    reduces_as_it_copies
                        ? BytesPerSecond{0}
                        : between(reduce_rate_of(before), reduce_rate_of(*next), part),
                    between(before.lent_rate, next->lent_rate, part)};
}

Cluster with_caches(Cluster cluster, int ranks, Bytes buffer) {
  const std::vector<int> socket_of = sockets_of_ranks(cluster, ranks);
  std::vector<BytesPerSecond> rates(cluster.vertices.size());
  for_sockets_in_use(socket_of, buffer, [&](std::size_t socket, Bytes touched) {
    const auto rate = cached_rate(cluster.vertices[socket].caches, touched);
    if (!rate) return;
    cluster.vertices[socket].memory = BytesPerSecond{0};
    rates[socket] = rate->bandwidth;
  });
  for_cores(cluster, socket_of, [&](Cable& cable, std::size_t socket) {
    if (rates[socket] > BytesPerSecond{0}) cable.bandwidth = rates[socket];
  });
  return cluster;
}

Cluster with_fastest_caches(Cluster cluster, int ranks, Bytes buffer) {
  Cluster fastest = with_caches(std::move(cluster), ranks, buffer);
  const std::vector<int> socket_of = sockets_of_ranks(fastest, ranks);
  std::vector<BytesPerSecond> lent(fastest.vertices.size());
  for_sockets_in_use(socket_of, buffer, [&](std::size_t socket, Bytes touched) {
    lent[socket] = rate_or_last(fastest.vertices[socket].caches, touched).lent_rate;
    if (lent[socket] > BytesPerSecond{0}) fastest.vertices[socket].memory = BytesPerSecond{0};
  });
  for_cores(fastest, socket_of, [&](Cable& cable, std::size_t socket) {
    cable.bandwidth = std::max(cable.bandwidth, lent[socket]);
  });
  return fastest;
}

BytesPerSecond cached_reduce_rate(const Cluster& cluster, int ranks, Bytes buffer) {
  BytesPerSecond slowest{0};
  for_sockets_in_use(sockets_of_ranks(cluster, ranks), buffer,
                     [&](std::size_t socket, Bytes touched) {
                       const auto& caches = cluster.vertices[socket].caches;
                       slowest = narrower(slowest, rate_or_last(caches, touched).reduce_rate);
                     });
  return slowest;
}

BytesPerSecond cached_lent_rate(const Cluster& cluster, int ranks, Bytes buffer) {
  std::vector<BytesPerSecond> known;
  for_sockets_in_use(
      sockets_of_ranks(cluster, ranks), buffer, [&](std::size_t socket, Bytes touched) {
        known.push_back(rate_or_last(cluster.vertices[socket].caches, touched).lent_rate);
      });
  return known.empty() ? BytesPerSecond{0} : std::ranges::min(known);
}

}  // namespace ringcast
