// Searches rings for a cluster file and prints, as JSON, the bus bandwidths of the order by rank,
// of NCCL's rings and of the found ones, both bounds, the wall time of search and bounds, the CPU
// time of the search, and the peak memory. A fifth argument renumbers the GPUs at random, as a
// scheduler may.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <random>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/ring_bounds.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/rank_places.hpp"

namespace {

using namespace ringcast;
using Clock = std::chrono::steady_clock;

double gigabytes_per_s(BytesPerSecond rate) {
  return rate.value() / 1e9;
}

double busbw(const TransferPaths& paths, const std::vector<RingOrder>& rings) {
  const std::optional<RingBottleneck> found = ring_bottleneck(paths, rings);
  return found ? gigabytes_per_s(found->busbw) : 0;
}

Topology topology_of(ClusterSpec spec, bool scrambled) {
  if (scrambled) {
    const Topology ordered{build_cluster(spec)};
    spec.job_gpus.resize(static_cast<std::size_t>(ordered.ranks()));
    std::iota(spec.job_gpus.begin(), spec.job_gpus.end(), 0);
    std::shuffle(spec.job_gpus.begin(), spec.job_gpus.end(), std::mt19937_64{1});
  }
  return Topology{build_cluster(spec)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: {} CLUSTER TRANSPORT RANKS|0 CHANNELS|0 [scrambled]\n", argv[0]);
    return 2;
  }
  const Topology topology = topology_of(read_cluster(argv[1]), argc > 5);
  const TransportProfile profile = read_transport(argv[2]);
  const int ranks = std::stoi(argv[3]) == 0 ? topology.ranks() : std::stoi(argv[3]);
  const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};

  const Clock::time_point begin = Clock::now();
  const std::clock_t used = std::clock();
  const FoundRings found = search_rings(paths, {std::stoi(argv[4]), Seconds{60}, 1});
  const Seconds search = Clock::now() - begin;
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  const BandwidthBound rings = ring_bound(paths);
  const BandwidthBound any = algorithm_bound(paths);
  const Seconds bounds = Clock::now() - begin - search;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"ranks\": {}, \"naive\": {:.5g}, \"nccl\": {:.5g}, \"found\": {:.5g}, "
      "\"rings\": {}, \"proved\": {}, \"ring_bound\": {:.5g}, \"any_bound\": {:.5g}, "
      "\"search_s\": {:.3f}, \"search_processor_s\": {:.3f}, \"bounds_s\": {:.3f}, \"peak_bytes\": "
      "{},\n \"ring_reason\": "
      "\"{}\",\n \"any_reason\": \"{}\"}}\n",
      ranks, busbw(paths, {RingOrder::identity(ranks)}), busbw(paths, channel_rings(paths)),
      gigabytes_per_s(found.busbw), found.rings.size(), found.proved_optimal,
      gigabytes_per_s(rings.busbw), gigabytes_per_s(any.busbw), search.count(), processor,
      bounds.count(), 1024 * usage.ru_maxrss, rings.reason, any.reason);
}
