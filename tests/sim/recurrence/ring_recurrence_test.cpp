#include "sim/recurrence/ring_recurrence.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/random_jobs.hpp"

namespace ringcast {
namespace {

struct Ring {
  const Topology& topology;
  TransportProfile profile;
  RingOrder order;
  std::uint64_t elements;
  Reduction reduction = {};

  [[nodiscard]] TransferPaths paths() const {
    return {topology, profile, places_of_ranks(topology, order.size(), profile)};
  }
};

Seconds on_all_ranks(const Ring& ring, std::vector<PairTraffic>& traffic) {
  const TransferPaths paths = ring.paths();
  const int ranks = ring.order.size();
  const CollectiveOptions options{{ring.order}, std::nullopt};
  const RankProgram program = [&](RankContext& self) {
    make_allreduce("ring", options)
        ->run({self.memory.allocate(ring.elements * 4_B), ring.elements}, self);
  };
  const Folding folding{paths, ranks, dry_run(ranks, ring.reduction, program), Symmetry::none};
  FluidTransport transport{paths, ranks, folding.job(), ring.reduction, {}};
  transport.run(program);
  traffic = folding.traffic(transport.traffic());
  return transport.time() - ring.profile.call_overhead;
}

void expect_as_simulated(const Ring& ring) {
  const TransferPaths paths = ring.paths();
  const RingRecurrence recurrence{paths, ring.order, ring.reduction, ring.elements};
  std::vector<PairTraffic> simulated;
  const Seconds time = on_all_ranks(ring, simulated);

  ASSERT_TRUE(recurrence.is_exact());
  EXPECT_NEAR(recurrence.time() / time, 1, 1e-12);
  std::vector<PairTraffic> traffic = recurrence.traffic();
  ASSERT_EQ(traffic.size(), simulated.size());
  std::ranges::sort(traffic, {}, &PairTraffic::from);
  std::ranges::sort(simulated, {}, &PairTraffic::from);
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    EXPECT_EQ(traffic[i].messages, simulated[i].messages);
    EXPECT_EQ(traffic[i].bytes, simulated[i].bytes);
    EXPECT_EQ(traffic[i].on_cables, simulated[i].on_cables);
  }
}

/// A star whose cables all differ.
Cluster uneven_star(int ranks, std::mt19937& random) {
  Cluster cluster = testing::star(ranks, 10_GBps, 1_us);
  for (Cable& cable : cluster.cables) {
    cable.bandwidth = BytesPerSecond{1e9 * static_cast<double>(1 + random() % 20)};
    cable.latency = Seconds{1e-7 * static_cast<double>(random() % 50)};
  }
  return cluster;
}

TEST(RingRecurrence, GivesTheTimeOfTheSimulation) {
  std::mt19937 random{1};
  for (const int ranks : {2, 3, 5, 8, 13, 32}) {
    for (const std::uint64_t chunk : {1U, 1000U, 100'000U}) {
      for (const std::uint64_t more : {0U, 1U, 2U, 30U}) {  // elements that make chunks longer
        const Topology topology{uneven_star(ranks, random)};
        const auto n = static_cast<std::uint64_t>(ranks);
        TransportProfile profile = testing::random_costs(random);
        profile.eager_limit = Bytes{random() % 2 == 0 ? 4000U : 4001U};
        profile.rendezvous_handshake = 5_us;
        std::vector<Rank> order;
        for (int rank = 0; rank < ranks; ++rank) {
          order.push_back(Rank{rank});
        }
        std::shuffle(order.begin(), order.end(), random);
        const Operation operation = random() % 2 == 0 ? Operation::avg : Operation::sum;
        SCOPED_TRACE(fmt::format("{} ranks, chunks of {}, {} more", ranks, chunk, more));

        expect_as_simulated({topology, profile, RingOrder{order}, n * chunk + more % n,
                             Reduction{ElementType::float32, operation}});
      }
    }
  }
}

// 6 steps of 2 us and 4,000 B of payload, with as many bytes beside them.
TEST(RingRecurrence, TakesTheBytesOnTheCables) {
  const Topology topology{testing::star(4, 10_GBps, 1_us)};
  TransportProfile profile = testing::free_of_cost();
  profile.protocols = {{.algorithm = "ring", .name = "half", .efficiency = 0.5}};
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const RingOrder order = RingOrder::identity(4);

  EXPECT_NEAR((RingRecurrence{paths, order, Reduction{}, 4000}.time().count()), 6 * 2.8e-6, 1e-15);
}

TEST(RingRecurrence, IsNotExactWhereALinkIsShared) {
  // Two GPUs of each node share its NIC: they send out in turn, but a ring that crosses the
  // network at every hop has both on it.
  Cluster cluster{"two nodes", {{"switch", VertexKind::network_switch, -1}}, {}};
  for (int node = 0; node < 2; ++node) {
    const int first = static_cast<int>(cluster.vertices.size());
    cluster.vertices.push_back({fmt::format("nic{}", node), VertexKind::nic, node});
    cluster.cables.push_back({0, first, 10_GBps, 1_us, "test", "test"});
    for (int gpu = 1; gpu <= 2; ++gpu) {
      cluster.vertices.push_back({fmt::format("gpu{}.{}", node, gpu), VertexKind::gpu, node});
      cluster.cables.push_back({first, first + gpu, 10_GBps, 1_us, "test", "test"});
    }
  }
  const Topology topology{cluster};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const auto is_exact = [&](std::vector<Rank> order) {
    const RingOrder ring{std::move(order)};
    return RingRecurrence{paths, ring, Reduction{}, 400}.is_exact();
  };

  EXPECT_TRUE(is_exact({Rank{0}, Rank{1}, Rank{2}, Rank{3}}));
  EXPECT_FALSE(is_exact({Rank{0}, Rank{2}, Rank{1}, Rank{3}}));
}

TEST(RingRecurrence, IsNotExactWithoutAnElementForEachRank) {
  const Topology topology{testing::star(4, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const RingOrder order = RingOrder::identity(4);

  EXPECT_FALSE((RingRecurrence{paths, order, Reduction{}, 3}.is_exact()));
  EXPECT_TRUE((RingRecurrence{paths, order, Reduction{}, 4}.is_exact()));
}

}  // namespace
}  // namespace ringcast
