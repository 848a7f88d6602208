#include "app/predict/cached_machine.hpp"

#include <algorithm>
#include <utility>

#include "topology/cluster/cache.hpp"
#include "topology/cluster/cluster.hpp"

namespace ringcast {

CachedMachine::CachedMachine(const Topology& any_size, TransportProfile transport, int ranks,
                             Bytes buffer)
    : any_size_{&any_size}, transport_{std::move(transport)} {
  const Cluster& cluster = any_size.cluster();
  if (std::ranges::all_of(cluster.vertices,
                          [](const Vertex& vertex) { return vertex.caches.empty(); })) {
    return;
  }
  cached_.emplace(with_caches(cluster, ranks, buffer));
  // A cache's reduce_rate is that of a fused receive, not of a reduction that follows the receive.
  const BytesPerSecond rate = cached_reduce_rate(cluster, ranks, buffer);
  const bool is_slower =
      transport_.reduce_rate == BytesPerSecond{0} || rate < transport_.reduce_rate;
  if (transport_.fused_reduction && rate > BytesPerSecond{0} && is_slower) {
    transport_.reduce_rate = rate;
  }
  transport_.lent_rate = cached_lent_rate(cluster, ranks, buffer);
  if (transport_.lent_rate > BytesPerSecond{0}) {
    fastest_.emplace(with_fastest_caches(cluster, ranks, buffer));
  }
}

}  // namespace ringcast
