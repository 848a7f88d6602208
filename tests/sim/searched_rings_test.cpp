#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"
#include "tests/topology/machines.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

double simulated(const ClusterSpec& spec, const std::vector<RingOrder>& rings, Bytes size) {
  return testing::number_from_fork([&] {
    const Topology topology{build_cluster(spec)};
    SimTransport transport{topology, topology.ranks(), {}, Reduction{}, {}};
    const auto ring = make_allreduce("ring", {rings, {}});
    transport.run([&](RankContext& self) {
      ring->run({self.memory.allocate(size), size.count() / 4}, self);
    });
    return transport.report().time.count();
  });
}

ClusterSpec scrambled(ClusterSpec spec, int ranks) {
  spec.job_gpus.resize(static_cast<std::size_t>(ranks));
  std::iota(spec.job_gpus.begin(), spec.job_gpus.end(), 0);
  std::shuffle(spec.job_gpus.begin(), spec.job_gpus.end(), std::mt19937_64{5});
  return spec;
}

std::vector<RingOrder> searched(const ClusterSpec& spec, int channels) {
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, topology.ranks(), {})};
  return search_rings(paths, {channels, Seconds{60}, 1}).rings;
}

TEST(SearchedRings, AreAsFastAsTheBestOrderByHandOnAnOversubscribedFatTree) {
  // 18 nodes and 6 uplinks per leaf. By hand: leaf by leaf, so that one uplink carries the ring.
  const ClusterSpec spec = machines::on_fat_tree(machines::least(), 64, 2, 24, 3);
  const ClusterSpec mixed = scrambled(spec, 64);
  for (const Bytes size : {64_KiB, 4_MiB, 64_MiB}) {
    const double by_hand = simulated(spec, {RingOrder::identity(64)}, size);
    const double found = simulated(mixed, searched(mixed, 1), size);
    EXPECT_LE(found, 1.02 * by_hand) << to_text(size);
    if (size == 64_MiB) {
      EXPECT_GT(simulated(mixed, {RingOrder::identity(64)}, size), 1.5 * found);
    }
  }
}

}  // namespace
}  // namespace ringcast
