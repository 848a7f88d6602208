#include "topology/rings/ring_search.hpp"

#include <cstdlib>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/random_machines.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/exact_rings.hpp"
#include "topology/rings/ring_bounds.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// A topology and the paths of a job on it.
struct MachineJob {
  explicit MachineJob(const ClusterSpec& spec, int ranks = 0, const TransportProfile& profile = {})
      : topology{build_cluster(spec)},
        paths{topology, profile,
              places_of_ranks(topology, ranks == 0 ? topology.ranks() : ranks, profile)} {}

  [[nodiscard]] double busbw(const std::vector<RingOrder>& rings) const {
    const std::optional<RingBottleneck> found = ring_bottleneck(paths, rings);
    return found ? found->busbw.value() / 1e9 : 0;
  }
  [[nodiscard]] double naive() const { return busbw({RingOrder::identity(paths.ranks())}); }

  Topology topology;
  TransferPaths paths;
};

std::vector<std::vector<int>> numbers(const FoundRings& found) {
  std::vector<std::vector<int>> rings;
  for (const RingOrder& order : found.rings) {
    std::vector<int>& ring = rings.emplace_back();
    for (const Rank rank : order.ranks()) {
      ring.push_back(index_of(rank));
    }
  }
  return rings;
}

RingSearch search_of(int channels) {
  return {channels, Seconds{60}, 1};
}

/// The number of random machines, which the nightly tests raise.
int cases(int usual) {
  const char* const wanted = std::getenv("RINGCAST_RANDOM_CASES");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

/// The bus bandwidth of one ring, without the code of the search: each link's crossings counted.
double counted_busbw(const MachineJob& job, const std::vector<Rank>& ring) {
  std::map<LinkId, int> crossings;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const TransferPath& path = job.paths.between(ring[i], ring[(i + 1) % ring.size()]);
    std::vector<LinkId> links{path.main.links.begin(), path.main.links.end()};
    for (const std::optional<Leg>* copy : {&path.copy_down, &path.copy_up}) {
      if (*copy) links.insert(links.end(), (*copy)->links.begin(), (*copy)->links.end());
    }
    for (const LinkId link : links)
      ++crossings[link];
  }
  double busbw = std::numeric_limits<double>::max();
  for (const auto& [link, count] : crossings) {
    const Link& of = job.topology.links()[index_of(link)];
    busbw = std::min(busbw, of.bandwidth.value() / 1e9 / count);
  }
  return busbw;
}

/// The best bus bandwidth of one ring, by trying all orders.
double brute_force(const MachineJob& job) {
  std::vector<Rank> order;
  for (int i = 0; i < job.paths.ranks(); ++i) {
    order.push_back(Rank{i});
  }
  double best = 0;
  do {
    best = std::max(best, counted_busbw(job, order));
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

TEST(RingSearch, OfOneOrTwoRanksIsTrivial) {
  const MachineJob one{cluster_of(dgx1(), 1), 1};
  const FoundRings alone = search_rings(one.paths, {});
  EXPECT_EQ(numbers(alone), (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(alone.busbw.value(), 0);
  EXPECT_TRUE(alone.proved_optimal);

  const MachineJob two{cluster_of(dual_root(), 1), 2};
  const FoundRings pair = search_rings(two.paths, search_of(3));
  EXPECT_EQ(numbers(pair), (std::vector<std::vector<int>>{{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_NEAR(pair.busbw.value(), 10e9, 1);
  EXPECT_TRUE(pair.proved_optimal);
}

TEST(RingSearch, FindsTheSixCyclesOfACubeMesh) {
  const MachineJob job{cluster_of(dgx1(), 1)};
  const FoundRings found = search_rings(job.paths, {});
  EXPECT_EQ(found.rings.size(), 6U);
  EXPECT_NEAR(found.busbw.value(), 120e9, 1);  // six links of 20 GB/s
  EXPECT_TRUE(found.proved_optimal);
}

TEST(RingSearch, KeepsToTheNumberOfRings) {
  const MachineJob job{cluster_of(dgx1(), 1)};
  for (const int channels : {1, 2, 5, 7, 12}) {
    const FoundRings found = search_rings(job.paths, search_of(channels));
    EXPECT_EQ(found.rings.size(), static_cast<std::size_t>(channels));
    EXPECT_NEAR(found.busbw.value() / 1e9, job.busbw(found.rings), 1e-9);
  }
  // The bundles of two links form two squares, 0 3 7 4 and 1 2 6 5: a ring has single links too.
  EXPECT_NEAR(search_rings(job.paths, search_of(1)).busbw.value(), 20e9, 1);
}

TEST(RingSearch, AddsRingsWhereEachRelievesALink) {
  // Peer traffic through the root complex runs at 5 GB/s of a GPU's 10. One ring crosses it at one
  // GPU of each switch, three rings at another GPU each.
  CableSpec slot = pcie();
  slot.peer_bandwidth = BytesPerSecond{5e9};
  const DeviceSpec three{VertexKind::gpu, 3, slot, {}};
  const NodeTypeSpec type{"peers",
                          {socket({{VertexKind::pcie_switch, 2, cable("uplink", 40), {three}}})},
                          std::nullopt,
                          {},
                          std::nullopt};
  const MachineJob job{cluster_of(type, 1)};
  EXPECT_NEAR(search_rings(job.paths, search_of(1)).busbw.value(), 5e9, 1);
  const FoundRings found = search_rings(job.paths, {});
  EXPECT_NEAR(found.busbw.value(), 10e9, 1);
  EXPECT_TRUE(found.proved_optimal);
}

TEST(RingSearch, DependsOnTheSeedOnly) {
  RandomMachines machines{7};
  for (int i = 0; i < 3; ++i) {
    const ClusterSpec spec = machines.of(10);
    const MachineJob first{spec};
    const MachineJob second{spec};
    EXPECT_EQ(numbers(search_rings(first.paths, search_of(2))),
              numbers(search_rings(second.paths, search_of(2))));
  }
}

TEST(RingSearch, AgreesWithBruteForce) {
  RandomMachines machines{1};
  for (int i = 0; i < cases(20); ++i) {
    const int ranks = 3 + i % 6;
    SCOPED_TRACE(fmt::format("machine {} of {} ranks", i, ranks));
    const MachineJob job{machines.of(ranks)};
    const FoundRings found = search_rings(job.paths, search_of(1));
    EXPECT_TRUE(found.proved_optimal);
    const double best = brute_force(job);
    EXPECT_NEAR(found.busbw.value() / 1e9, best, 1e-9);
    const std::span<const Rank> ring = found.rings.at(0).ranks();
    EXPECT_NEAR(counted_busbw(job, {ring.begin(), ring.end()}), best, 1e-9);
  }
}

TEST(RingSearch, ComesCloseToTheOptimumWithoutBranchAndBound) {
  RandomMachines machines{2};
  for (int i = 0; i < cases(4) / 2; ++i) {
    const int ranks = 9 + i % 3;
    SCOPED_TRACE(fmt::format("machine {} of {} ranks", i, ranks));
    const MachineJob job{machines.of(ranks)};
    std::vector<std::vector<Rank>> best;
    const std::optional<RingOrder> start = RingOrder::identity(ranks);
    best.emplace_back(start->ranks().begin(), start->ranks().end());
    detail::BlockRing blocks;
    for (const Rank rank : best.front()) {
      blocks.push_back({rank});
    }
    detail::SearchLimits limits;
    limits.deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    limits.changes = 20'000;  // as in ring_search.cpp
    const auto heuristic = detail::improved_rings(job.paths, {blocks}, limits);
    std::vector<std::vector<Rank>> improved(1);
    for (const std::vector<Rank>& block : heuristic.front()) {
      improved.front().push_back(block.front());
    }
    limits.changes = 1'000'000'000;
    const auto exact = detail::exact_rings(job.paths, improved, limits);
    ASSERT_TRUE(exact);
    EXPECT_GE(job.busbw({RingOrder{improved.front()}}),
              0.97 * job.busbw({RingOrder{exact->front()}}));
  }
}

TEST(RingSearch, IsBetweenTheStartsAndTheBounds) {
  RandomMachines machines{3};
  for (int i = 0; i < cases(6); ++i) {
    const int ranks = 2 + i % 12;
    SCOPED_TRACE(fmt::format("machine {} of {} ranks", i, ranks));
    TransportProfile profile;
    if (i % 3 == 0) {
      profile.p2p = PathLevel::pix;  // beyond, messages are staged
    }
    const MachineJob job{machines.of(ranks), 0, profile};
    RingSearch search = search_of(0);
    search.time_limit = Seconds{0.2};
    const double found = search_rings(job.paths, search).busbw.value() / 1e9;
    EXPECT_GE(found, (1 - 1e-9) * job.naive());
    EXPECT_GE(found, (1 - 1e-9) * job.busbw(channel_rings(job.paths)));
    EXPECT_LE(found, (1 + 1e-6) * ring_bound(job.paths).busbw.value() / 1e9);
    EXPECT_LE(found, (1 + 1e-6) * algorithm_bound(job.paths).busbw.value() / 1e9);
  }
}

TEST(RingSearch, UnscramblesAnOversubscribedFatTree) {
  ClusterSpec spec = on_fat_tree(least(), 64, 2, 24, 3);
  const MachineJob ordered{spec};
  spec.job_gpus.resize(64);
  std::iota(spec.job_gpus.begin(), spec.job_gpus.end(), 0);
  std::shuffle(spec.job_gpus.begin(), spec.job_gpus.end(), std::mt19937_64{5});
  const MachineJob scrambled{spec};

  // In the order of the leaves each uplink carries one hop at most, and the NICs decide.
  EXPECT_NEAR(ordered.naive(), 6, 1e-9);
  EXPECT_LT(scrambled.naive(), 3.1);
  const FoundRings found = search_rings(scrambled.paths, {});
  EXPECT_NEAR(found.busbw.value(), 6e9, 1);
  EXPECT_TRUE(found.proved_optimal);
}

TEST(RingSearch, KeepsScrambledNodesOnTheirRails) {
  // Pods of 12 leaves, of which eight have the NICs of the same 18 nodes: one such eight is spread
  // over two pods. Eight rings leave and enter each node on NICs of 6 GB/s.
  for (const int nodes : {40, 128}) {
    SCOPED_TRACE(nodes);
    ClusterSpec spec = on_fat_tree(eight_rails(), nodes, 3, 24, 3, 8);
    spec.job_gpus.resize(static_cast<std::size_t>(8 * nodes));
    std::iota(spec.job_gpus.begin(), spec.job_gpus.end(), 0);
    std::shuffle(spec.job_gpus.begin(), spec.job_gpus.end(), std::mt19937_64{1});
    const MachineJob job{spec};
    const FoundRings found = search_rings(job.paths, {});
    EXPECT_EQ(found.rings.size(), 8U);
    EXPECT_NEAR(found.busbw.value(), 48e9, 1);
    EXPECT_TRUE(found.proved_optimal);
  }
}

// Two GPUs and two NICs on each PCIe switch, the NICs on leaves of their own: both GPUs send
// through one NIC where the fabric chooses between the leaves by the destination's number.
TEST(RingSearch, UsesAllNicsWhereGpusShareThemAndLeavesEnd) {
  const NodeTypeSpec type{"pairs",
                          {socket({switches(4, {gpus(2), nics(2)})})},
                          std::nullopt,
                          {},
                          NvswitchSpec{6, cable("nvlink-3.0", 200, 0.5)}};
  const MachineJob job{on_fat_tree(type, 33, 3, 24, 1, 4)};
  // Eight NICs of 6 GB/s in each node.
  EXPECT_NEAR(search_rings(job.paths, {}).busbw.value(), 48e9, 1);
}

// A NIC of 6 GB/s, and GPUs whose PCIe links of 5 GB/s carry what a ring sends to them or from
// them: two rings, which enter at different GPUs, fill the NIC.
TEST(RingSearch, SpreadsTheRingsOfANicOverItsGpus) {
  NodeTypeSpec type = least();
  type.sockets[0].root_complexes[0].devices = {gpus(8), nics(1)};
  type.sockets[0].root_complexes[0].devices[0].cable = cable("pcie-3.0-x16", 5);
  type.nvswitch = NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)};
  const MachineJob job{on_one_switch(type, 9)};  // more ranks than grow ring by ring
  EXPECT_NEAR(job.busbw(channel_rings(job.paths)), 5, 1e-9);
  EXPECT_NEAR(search_rings(job.paths, {}).busbw.value(), 6e9, 1);
}

TEST(RingSearch, UsesASlowNicForFewerRings) {
  // Cables of 6 GB/s, one NIC of node 1 at 3: seven rings of the eight would run at 6. Fifteen run
  // at 3, two on each of the seven NICs and one on the eighth.
  Cluster cluster = build_cluster(on_one_switch(eight_rails(), 2));
  for (Cable& each : cluster.cables) {
    const auto name = [&](int at) { return cluster.vertices[static_cast<std::size_t>(at)].name; };
    if ((name(each.a) == "node1.nic3") != (name(each.b) == "node1.nic3") &&
        each.link_class != "pcie-3.0-x16") {
      each.bandwidth = BytesPerSecond{3e9};
    }
  }
  const Topology topology{std::move(cluster)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 16, {})};
  const std::vector<RingOrder> nccl = channel_rings(paths);
  const FoundRings found = search_rings(paths, {});
  EXPECT_GE(found.busbw, ring_bottleneck(paths, nccl)->busbw);
  EXPECT_NEAR(found.busbw.value(), 45e9, 1);
  EXPECT_TRUE(found.proved_optimal);
}

}  // namespace
}  // namespace ringcast
