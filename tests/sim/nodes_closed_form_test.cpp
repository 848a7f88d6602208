// The algorithms that know nodes and servers, on a star, against the closed forms of
// rival_cost.hpp.
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using testing::hop;
using testing::reduce_rates;
using testing::simulated;
using testing::text_of;

CollectiveOptions on_nodes(const StarShape& shape, int ranks_per_node) {
  CollectiveOptions options = testing::options_of(shape);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    options.node_of.push_back(rank / ranks_per_node);
  }
  return options;
}

double simulated_ring(const StarShape& shape, int ranks_per_node, BytesPerSecond rate) {
  return simulated("hierarchical-ring", on_nodes(shape, ranks_per_node), shape.ranks, shape.size,
                   rate);
}

struct Nodes {
  int ranks;
  int ranks_per_node;
};

// One node, nodes of one rank, and all between.
constexpr Nodes equal_nodes[] = {{2, 1}, {4, 4}, {4, 2}, {6, 3}, {6, 2}, {15, 5}, {16, 4}, {24, 8}};

TEST(SimulatedHierarchicalRing, TakesTheClosedFormsTimeOnEqualNodes) {
  for (const auto& [ranks, ranks_per_node] : equal_nodes) {
    for (const std::uint64_t each : {64U, 16'384U, 4'096'000U}) {
      for (const std::uint64_t segment : {std::uint64_t{0}, each / 4}) {
        for (const BytesPerSecond rate : reduce_rates) {
          const StarShape shape{ranks, static_cast<std::uint64_t>(ranks) * Bytes{each},
                                Bytes{segment}};

          EXPECT_NEAR(simulated_ring(shape, ranks_per_node, rate) /
                          hierarchical_ring_time(shape, ranks_per_node, hop(rate)).count(),
                      1.0, 1e-9)
              << text_of(shape, rate) << ", " << ranks_per_node << " on a node";
        }
      }
    }
  }
}

// One node, or one rank on each: the ring, segment by segment.
TEST(SimulatedHierarchicalRing, IsTheRingWhereThereIsNoHierarchy) {
  for (const int ranks : {2, 3, 5, 8}) {
    for (const BytesPerSecond rate : reduce_rates) {
      const StarShape shape{ranks, 1_MiB, 10_KiB};
      const double ring = simulated("ring", shape, rate);

      EXPECT_EQ(simulated_ring(shape, ranks, rate), ring) << text_of(shape, rate);
      EXPECT_EQ(simulated_ring(shape, 1, rate), ring) << text_of(shape, rate);
    }
  }
}

// Nodes of 3 and 2 ranks, S = 6 MB: three chunks of 2 MB; in the node of 2 one rank holds one of
// them, the other two. Inside: two steps of 2 MB in the node of 3, one of 2 and 4 MB in the node of
// 2: 0.4 ms in both. Across: three rings of 2 ranks, two steps of 1 MB; the rank that holds two
// chunks is in two rings, which share its cable: 2 x 0.2 ms. Back as inside. With the
// latencies of two steps in each of the three phases, of 2 us each: 1.212 ms.
TEST(SimulatedHierarchicalRing, UsesEveryRankOfUnequalNodes) {
  CollectiveOptions options{{RingOrder::identity(5)}, std::nullopt, {0, 0, 0, 1, 1}};

  const double time = simulated("hierarchical-ring", options, 5, Bytes{6'000'000}, {});

  EXPECT_NEAR(time, 1.212e-3, 1e-12);
}

struct Serving {
  int workers;
  StarServers servers;
};

CollectiveOptions options_of(const Serving& serving, const StarShape& shape) {
  CollectiveOptions options = testing::options_of(shape);
  for (int i = 0; i < serving.servers.count; ++i) {
    // Dedicated, or spread over the workers.
    const int rank = serving.servers.dedicated ? serving.workers + i
                                               : i * serving.workers / serving.servers.count;
    options.servers.push_back(Rank{rank});
  }
  return options;
}

double simulated_servers(const Serving& serving, const StarShape& shape, BytesPerSecond rate) {
  const int further = serving.servers.dedicated ? serving.servers.count : 0;
  return simulated("parameter-server", options_of(serving, shape), serving.workers + further,
                   shape.size, rate);
}

std::string text_of(const Serving& serving, const StarShape& shape, BytesPerSecond rate) {
  return fmt::format("{}, {} {} servers", text_of(shape, rate), serving.servers.count,
                     serving.servers.dedicated ? "dedicated" : "working");
}

constexpr Serving servings[] = {{2, {1}},       {2, {2}},       {5, {1}},       {5, {2}},
                                {5, {5}},       {8, {3}},       {8, {8}},       {20, {5}},
                                {1, {1, true}}, {2, {1, true}}, {2, {2, true}}, {5, {1, true}},
                                {5, {3, true}}, {8, {8, true}}, {20, {5, true}}};

TEST(SimulatedParameterServer, TakesTheClosedFormsTimeOnWholeShards) {
  for (const Serving& serving : servings) {
    for (const std::uint64_t each : {4U, 40'000U, 40'000'000U}) {
      const Bytes size{static_cast<unsigned>(serving.servers.count) * each};
      for (const BytesPerSecond rate : reduce_rates) {
        const StarShape shape{serving.workers, size};

        EXPECT_NEAR(simulated_servers(serving, shape, rate) /
                        parameter_server_time(shape, serving.servers, hop(rate)).count(),
                    1.0, 1e-9)
            << text_of(serving, shape, rate);
      }
    }
  }
}

/// 40.96 MB in each shard.
StarShape in_segments(const Serving& serving, std::uint64_t parts) {
  constexpr std::uint64_t shard = 40'960'000;
  return {serving.workers, Bytes{static_cast<unsigned>(serving.servers.count) * shard},
          Bytes{parts == 1 ? 0 : shard / parts}};
}

TEST(SimulatedParameterServer, TakesNoLessThanTheCablesAllowAndNoMoreThanWholeShards) {
  for (const Serving& serving : servings) {
    for (const std::uint64_t parts : {16U, 64U}) {
      const StarShape shape = in_segments(serving, parts);
      const double time = simulated_servers(serving, shape, {});

      EXPECT_GE(time, parameter_server_bound(shape, serving.servers, hop()).count() * (1 - 1e-9))
          << text_of(serving, shape, {});
      EXPECT_LE(time,
                parameter_server_time(in_segments(serving, 1), serving.servers, hop()).count())
          << text_of(serving, shape, {});
    }
  }
}

// The pushes fill the cable into the server, c x 4.096 ms; the results of the last block of 8
// segments follow them.
TEST(SimulatedParameterServer, OverlapsResultsWithThePushesOfLaterSegments) {
  for (const Serving& serving : servings) {
    if (!serving.servers.dedicated && serving.servers.count > 1) {
      continue;
    }
    const int clients = serving.workers - (serving.servers.dedicated ? 0 : 1);
    for (const int parts : {16, 64}) {
      const StarShape shape = in_segments(serving, static_cast<std::uint64_t>(parts));

      EXPECT_LE(simulated_servers(serving, shape, {}),
                clients * 4.096e-3 * (1 + 8.0 / parts) * 1.01)
          << text_of(serving, shape, {});
    }
  }
}

// The pushes of n workers to a dedicated server share its cable and end together, after n S/B; n -
// 1 sums follow, and n results share the cable: two hops, 2 n S/B, n - 1 times S at the sums' rate.
TEST(SimulatedParameterServer, SumsAfterAllPushesThatComeAtOnce) {
  constexpr Bytes size = 1_MiB;
  for (int workers = 1; workers <= 5; ++workers) {
    for (const BytesPerSecond rate : reduce_rates) {
      const Serving serving{workers, {1, true}};
      CollectiveOptions options = options_of(serving, {workers, size});
      options.serve_at_once = true;
      const double crossing = (size / testing::bandwidth).count();
      const double sum = rate > BytesPerSecond{0} ? (size / rate).count() : 0;
      const double expected =
          2 * testing::hop_latency.count() + 2 * workers * crossing + (workers - 1) * sum;

      const double time = simulated("parameter-server", options, workers + 1, size, rate);

      EXPECT_NEAR(time / expected, 1.0, 1e-9) << text_of(serving, {workers, size}, rate);
    }
  }
}

TEST(SimulatedParameterServer, ExchangesAsManyMessagesAsItCounts) {
  for (const Serving& serving : servings) {
    for (const Bytes segment : {Bytes{0}, 400_B}) {
      const StarShape shape{serving.workers, 40'004_B, segment};
      const CollectiveOptions options = options_of(serving, shape);
      const int further = serving.servers.dedicated ? serving.servers.count : 0;

      EXPECT_EQ(testing::simulated_message_count("parameter-server", options,
                                                 serving.workers + further, shape.size),
                allreduce_message_count("parameter-server", options, shape.size.count() / 4, 4_B))
          << text_of(serving, shape, {});
    }
  }
}

TEST(SimulatedHierarchicalRing, ExchangesAsManyMessagesAsItCounts) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int on_a_node = 1; on_a_node <= ranks; ++on_a_node) {
      for (const Bytes segment : {Bytes{0}, 400_B}) {
        const StarShape shape{ranks, 40'004_B, segment};
        const CollectiveOptions options = on_nodes(shape, on_a_node);

        EXPECT_EQ(
            testing::simulated_message_count("hierarchical-ring", options, ranks, shape.size),
            allreduce_message_count("hierarchical-ring", options, shape.size.count() / 4, 4_B))
            << text_of(shape, {}) << ", " << on_a_node << " on a node";
      }
    }
  }
}

TEST(SimulatedNodes, OfOneRankOrNoElementsTakeNoTime) {
  EXPECT_EQ(hierarchical_ring_time({1, 1_MiB}, 1, hop()), Seconds{0});
  EXPECT_EQ(hierarchical_ring_time({4, Bytes{0}}, 2, hop()), Seconds{0});
  EXPECT_EQ(parameter_server_time({1, 1_MiB}, {1}, hop()), Seconds{0});
  EXPECT_EQ(parameter_server_time({3, Bytes{0}}, {1, true}, hop()), Seconds{0});
  EXPECT_EQ(parameter_server_bound({1, 1_MiB}, {1}, hop()), Seconds{0});
}

TEST(SimulatedNodes, HaveNoClosedFormForWhatItDoesNotCover) {
  EXPECT_THROW(static_cast<void>(hierarchical_ring_time({5, 1000_B}, 2, hop())), ContractViolation);
  EXPECT_THROW(static_cast<void>(hierarchical_ring_time({4, 1001_B}, 2, hop())), ContractViolation);
  EXPECT_THROW(static_cast<void>(parameter_server_time({3, 1_MiB, 1_KiB}, {1}, hop())),
               ContractViolation);
  EXPECT_THROW(static_cast<void>(parameter_server_time({3, 1_MiB}, {4, true}, hop())),
               ContractViolation);
}

}  // namespace
}  // namespace ringcast
