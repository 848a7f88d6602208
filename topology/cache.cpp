#include "topology/cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "topology/cluster.hpp"

namespace ringcast {
namespace {

/// The socket of each of the first processes, by the cables that join them.
std::vector<int> sockets_of_ranks(const Cluster& cluster, int ranks) {
  std::vector<int> socket_of(cluster.vertices.size(), -1);
  int rank = 0;
  for (std::size_t vertex = 0; vertex < cluster.vertices.size() && rank < ranks; ++vertex) {
    if (!is_rank(cluster.vertices[vertex].kind)) continue;
    ++rank;
    for (const Cable& cable : cluster.cables) {
      const int other = cable.a == static_cast<int>(vertex) ? cable.b : cable.a;
      const bool own = cable.a == static_cast<int>(vertex) || cable.b == static_cast<int>(vertex);
      if (own && cluster.vertices[vertex].kind == VertexKind::process) socket_of[vertex] = other;
    }
  }
  return socket_of;
}

}  // namespace

std::optional<BytesPerSecond> cached_rate(const std::vector<CachedRate>& rates, Bytes touched) {
  const auto next =
      std::ranges::find_if(rates, [&](const CachedRate& rate) { return touched <= rate.touched; });
  if (next == rates.end()) return std::nullopt;
  if (next == rates.begin()) return next->bandwidth;
  const CachedRate& before = *(next - 1);
  const auto log = [](Bytes bytes) { return std::log(static_cast<double>(bytes.count())); };
  const double part =
      (log(touched) - log(before.touched)) / (log(next->touched) - log(before.touched));
  return BytesPerSecond{1 /
                        std::lerp(1 / before.bandwidth.value(), 1 / next->bandwidth.value(), part)};
}

Cluster with_caches(Cluster cluster, int ranks, Bytes buffer) {
  const std::vector<int> socket_of = sockets_of_ranks(cluster, ranks);
  for (std::size_t socket = 0; socket < cluster.vertices.size(); ++socket) {
    const auto own =
        static_cast<std::uint64_t>(std::ranges::count(socket_of, static_cast<int>(socket)));
    const auto rate = cached_rate(cluster.vertices[socket].caches, own * buffer);
    if (own == 0 || !rate) continue;
    cluster.vertices[socket].memory = BytesPerSecond{0};
    for (Cable& cable : cluster.cables) {
      const bool is_core = std::ranges::any_of(std::array{cable.a, cable.b}, [&](int end) {
        return socket_of[static_cast<std::size_t>(end)] == static_cast<int>(socket);
      });
      if (is_core) cable.bandwidth = *rate;
    }
  }
  return cluster;
}

}  // namespace ringcast
