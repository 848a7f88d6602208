#include "topology/rings/ring_mix.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/random_machines.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/rings/shortest_cycle.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast::detail {
namespace {

using namespace machines;
using Costs = std::vector<std::vector<double>>;

constexpr double no_arc = std::numeric_limits<double>::infinity();
constexpr double unlimited = std::numeric_limits<double>::max();

struct MixJob {
  explicit MixJob(const ClusterSpec& spec, int ranks = 0)
      : topology{build_cluster(spec)},
        paths{
            topology,
            {},
            places_of_ranks(topology, ranks == 0 ? topology.ranks() : ranks, TransportProfile{})} {}
  Topology topology;
  TransferPaths paths;
};

/// All orders that begin with rank 0.
std::vector<std::vector<Rank>> all_rings(int ranks) {
  std::vector<Rank> order;
  for (int i = 0; i < ranks; ++i) {
    order.push_back(Rank{i});
  }
  std::vector<std::vector<Rank>> found;
  do {
    found.push_back(order);
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return found;
}

TEST(ShortestCycle, AgreesWithAllOrders) {
  std::mt19937_64 random{1};
  for (int vertices = 2; vertices <= 7; ++vertices) {
    SCOPED_TRACE(vertices);
    const auto size = static_cast<std::size_t>(vertices);
    Costs costs(size, std::vector<double>(size, no_arc));
    for (std::vector<double>& from : costs) {
      std::ranges::generate(from, [&] { return static_cast<double>(random() % 100); });
    }
    costs[0][size - 1] = no_arc;
    const auto length = [&](const std::vector<std::size_t>& ring) {
      double sum = 0;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        sum += costs[ring[i]][ring[(i + 1) % ring.size()]];
      }
      return sum;
    };
    double shortest = no_arc;
    for (const std::vector<Rank>& ring : all_rings(vertices)) {
      std::vector<std::size_t> numbers;
      for (const Rank rank : ring) {
        numbers.push_back(static_cast<std::size_t>(index_of(rank)));
      }
      shortest = std::min(shortest, length(numbers));
    }
    const std::vector<int> found = shortest_cycle(costs);
    ASSERT_EQ(found.empty(), shortest == no_arc);
    if (!found.empty()) {
      ASSERT_EQ(found.size(), size);
      EXPECT_EQ(found.front(), 0);
      EXPECT_EQ(length({found.begin(), found.end()}), shortest);
    }
  }
}

TEST(ShortestCycle, IsNoneWithoutAWayBack) {
  EXPECT_TRUE(shortest_cycle({{0, 1, 1}, {no_arc, 0, 1}, {no_arc, 1, 0}}).empty());
}

TEST(ShortestCycle, RefusesWhatTakesTooLong) {
  EXPECT_THROW((void)shortest_cycle(Costs(1, {0})), ContractViolation);
  EXPECT_THROW((void)shortest_cycle(Costs(14, std::vector<double>(14))), ContractViolation);
}

// At any prices, no mix of rings has more than what all links are worth, by what the cheapest of
// all rings costs. Prices here: those of the derivation, checked against each of the 24 or 120
// rings.
TEST(RingMix, OfPartsOfACubeMeshIsOptimal) {
  for (const int ranks : {5, 6}) {
    SCOPED_TRACE(ranks);
    const MixJob job{cluster_of(dgx1(), 1), ranks};
    const auto price = [&](LinkId link) {
      const std::string name = job.topology.name_of(link);
      const bool qpi = name.find("node0.socket0 -> node0.socket1") == 0 ||
                       name.find("node0.socket1 -> node0.socket0") == 0;
      const bool pair = name == "node0.gpu4 -> node0.gpu5" || name == "node0.gpu5 -> node0.gpu4";
      return ranks == 5 ? (qpi ? 1.0 : 0.0) : (qpi ? 0.5 : pair ? 1.0 : 0.0);
    };
    double worth = 0;
    for (std::size_t i = 0; i < job.topology.links().size(); ++i) {
      worth += price(LinkId{static_cast<int>(i)}) * job.topology.links()[i].bandwidth.value();
    }
    for (const std::vector<Rank>& ring : all_rings(ranks)) {
      LinkLoads loads{job.paths};
      loads.add_ring(ring);
      double cost = 0;
      for (std::size_t i = 0; i < job.topology.links().size(); ++i) {
        cost += price(LinkId{static_cast<int>(i)}) * loads.crossings(LinkId{static_cast<int>(i)});
      }
      EXPECT_GE(cost, 1);
    }
    const std::optional<RingMix> mix = best_ring_mix(job.paths, unlimited);
    ASSERT_TRUE(mix);
    EXPECT_NEAR(mix->bound / worth, 1, 1e-5);
    EXPECT_NEAR(std::accumulate(mix->rates.begin(), mix->rates.end(), 0.0) / worth, 1, 1e-5);
  }
}

TEST(RingMix, ReachesItsBoundWithinTheLinks) {
  RandomMachines random{5};
  for (int i = 0; i < 30; ++i) {
    const int ranks = 3 + i % 8;
    SCOPED_TRACE(fmt::format("machine {} of {} ranks", i, ranks));
    const MixJob job{random.of(ranks)};
    const std::optional<RingMix> mix = best_ring_mix(job.paths, unlimited);
    ASSERT_TRUE(mix);
    std::vector<double> loads(job.topology.links().size());
    for (std::size_t ring = 0; ring < mix->rings.size(); ++ring) {
      LinkLoads crossings{job.paths};
      crossings.add_ring(mix->rings[ring]);
      for (std::size_t link = 0; link < loads.size(); ++link) {
        loads[link] += mix->rates[ring] * crossings.crossings(LinkId{static_cast<int>(link)});
      }
    }
    for (std::size_t link = 0; link < loads.size(); ++link) {
      EXPECT_LE(loads[link], (1 + 1e-6) * job.topology.links()[link].bandwidth.value());
    }
    const double sum = std::accumulate(mix->rates.begin(), mix->rates.end(), 0.0);
    EXPECT_NEAR(sum / mix->bound, 1, 1e-5);
    // No ring by itself exceeds it.
    double best = 0;
    for (const std::vector<Rank>& ring : all_rings(std::min(ranks, ranks <= 7 ? ranks : 1))) {
      LinkLoads alone{job.paths};
      alone.add_ring(ring);
      best = std::max(best, ring.size() > 1 ? 1 / alone.slowest() : 0);
    }
    EXPECT_LE(best, (1 + 1e-5) * mix->bound);
  }
}

TEST(RingMix, NeedsThreeRanksAndNotTooMany) {
  EXPECT_FALSE(best_ring_mix(MixJob{cluster_of(dgx1(), 1), 2}.paths, unlimited));
  EXPECT_FALSE(best_ring_mix(MixJob{cluster_of(dgx2(), 1), 14}.paths, unlimited));
}

TEST(RingMix, SharesOutEqualRings) {
  const std::vector<Rank> a{Rank{0}, Rank{1}, Rank{2}};
  const std::vector<Rank> b{Rank{0}, Rank{2}, Rank{1}};
  // 3 : 1. Two rings: a is 3/2 > 1 the second time.
  const RingMix mix{{a, b}, {3, 1}, 4, {}};
  EXPECT_EQ(equal_rings(mix, 2), (std::vector{a, a}));
  EXPECT_EQ(std::ranges::count(equal_rings(mix, 4), a), 3);
  EXPECT_EQ(std::ranges::count(equal_rings(mix, 8), b), 2);
}

}  // namespace
}  // namespace ringcast::detail
