#include "topology/cluster/cache.hpp"

#include <gtest/gtest.h>

#include "topology/cluster/cluster.hpp"

namespace ringcast {
namespace {

const std::vector<CachedRate> rates{{Bytes{1U << 20U}, BytesPerSecond{30e9}},
                                    {Bytes{4U << 20U}, BytesPerSecond{10e9}}};

TEST(CachedRate, IsTheFirstUpToItsBytesAndNoneBeyondTheLast) {
  EXPECT_EQ(cached_rate(rates, Bytes{0}).value().bandwidth, BytesPerSecond{30e9});
  EXPECT_EQ(cached_rate(rates, Bytes{1U << 20U}).value().bandwidth, BytesPerSecond{30e9});
  EXPECT_EQ(cached_rate(rates, Bytes{4U << 20U}).value().bandwidth, BytesPerSecond{10e9});
  EXPECT_FALSE(cached_rate(rates, Bytes{(4U << 20U) + 1}));
  EXPECT_FALSE(cached_rate({}, Bytes{1}));
}

// 2 MiB is halfway between 1 and 4 in the logarithm: 2 / (1/30 + 1/10) = 15 GB/s.
TEST(CachedRate, LiesBetweenItsNeighbours) {
  const auto rate = cached_rate(rates, Bytes{2U << 20U});
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->bandwidth.value(), 15e9, 1);
  EXPECT_EQ(rate->reduce_rate, BytesPerSecond{0});
}

// Time per byte: 1/30, as it copies, at 1 MiB and 1/5 at 4 MiB, so 7/60 halfway.
TEST(CachedRate, OfAReductionWithoutARateOfItsOwnIsThatOfCopies) {
  std::vector<CachedRate> reducing = rates;
  reducing.back().reduce_rate = BytesPerSecond{5e9};

  EXPECT_EQ(cached_rate(reducing, Bytes{1U << 20U}).value().reduce_rate, BytesPerSecond{0});
  EXPECT_NEAR(cached_rate(reducing, Bytes{2U << 20U}).value().reduce_rate.value(), 60e9 / 7, 1);
}

// Halfway between 60 and 20 in time per byte: 2 / (1/60 + 1/20) = 30 GB/s.
TEST(CachedRate, OfWhatIsLentLiesBetweenTwoThatAreKnown) {
  std::vector<CachedRate> lending = rates;
  lending.front().lent_rate = BytesPerSecond{60e9};
  EXPECT_EQ(cached_rate(lending, Bytes{2U << 20U}).value().lent_rate, BytesPerSecond{0});

  lending.back().lent_rate = BytesPerSecond{20e9};
  EXPECT_NEAR(cached_rate(lending, Bytes{2U << 20U}).value().lent_rate.value(), 30e9, 1);
}

/// Two sockets of two processes each, the first with caches.
Cluster two_sockets() {
  Cluster cluster{"two sockets",
                  {{"s0", VertexKind::cpu, 0, BytesPerSecond{20e9}, rates},
                   {"p0", VertexKind::process, 0},
                   {"p1", VertexKind::process, 0},
                   {"s1", VertexKind::cpu, 0, BytesPerSecond{20e9}},
                   {"p2", VertexKind::process, 0},
                   {"p3", VertexKind::process, 0}},
                  {}};
  for (const auto& [a, b] : {std::pair{1, 0}, {0, 2}, {4, 3}, {3, 5}, {0, 3}}) {
    cluster.cables.push_back({a, b, BytesPerSecond{8e9}, Seconds{0}, "core", "test"});
  }
  return cluster;
}

// Two ranks of 512 KiB touch 1 MiB of the first socket together.
TEST(WithCaches, GivesTheCoresOfTheSocketTheirRate) {
  const Cluster cached = with_caches(two_sockets(), 4, Bytes{512U << 10U});

  EXPECT_EQ(cached.cables[0].bandwidth, BytesPerSecond{30e9});
  EXPECT_EQ(cached.cables[1].bandwidth, BytesPerSecond{30e9});
  EXPECT_EQ(cached.vertices[0].memory, BytesPerSecond{0});
  for (const std::size_t untouched : {2U, 3U, 4U}) {
    EXPECT_EQ(cached.cables[untouched].bandwidth, BytesPerSecond{8e9});
  }
  EXPECT_EQ(cached.vertices[3].memory, BytesPerSecond{20e9});
}

TEST(WithCaches, CountsTheRanksOfTheJobOnly) {
  const Cluster cached = with_caches(two_sockets(), 1, Bytes{4U << 20U});

  EXPECT_EQ(cached.cables[0].bandwidth, BytesPerSecond{10e9});  // 4 MiB
  EXPECT_EQ(cached.cables[1].bandwidth, BytesPerSecond{8e9});   // no rank of this job
}

TEST(WithCaches, LeavesLargeBuffersToTheMemory) {
  const Cluster cached = with_caches(two_sockets(), 4, Bytes{4U << 20U});

  EXPECT_EQ(cached.cables[0].bandwidth, BytesPerSecond{8e9});
  EXPECT_EQ(cached.vertices[0].memory, BytesPerSecond{20e9});
}

// Two of four ranks with 2 MiB each touch 4 MiB of the first socket together.
TEST(CachedReduceRate, IsThatOfTheSlowestSocketAndTheLastOneOfMemory) {
  Cluster cluster = two_sockets();
  EXPECT_EQ(cached_reduce_rate(cluster, 4, Bytes{2U << 20U}), BytesPerSecond{0});

  cluster.vertices[0].caches.back().reduce_rate = BytesPerSecond{5e9};
  EXPECT_EQ(cached_reduce_rate(cluster, 4, Bytes{2U << 20U}), BytesPerSecond{5e9});
  EXPECT_EQ(cached_reduce_rate(cluster, 4, Bytes{1U << 30U}), BytesPerSecond{5e9});

  cluster.vertices[3].caches = {{Bytes{4U << 20U}, BytesPerSecond{9e9}, BytesPerSecond{4e9}}};
  EXPECT_EQ(cached_reduce_rate(cluster, 4, Bytes{2U << 20U}), BytesPerSecond{4e9});
  EXPECT_EQ(cached_reduce_rate(cluster, 2, Bytes{2U << 20U}), BytesPerSecond{5e9});
}

// The first socket's two ranks touch 1 MiB together, then 4, then more than the last entry.
TEST(CachedLentRate, IsThatOfTheSlowestSocketAndTheLastOneOfMemory) {
  Cluster cluster = two_sockets();
  EXPECT_EQ(cached_lent_rate(cluster, 2, Bytes{512U << 10U}), BytesPerSecond{0});

  cluster.vertices[0].caches[0].lent_rate = BytesPerSecond{60e9};
  cluster.vertices[0].caches[1].lent_rate = BytesPerSecond{20e9};
  EXPECT_EQ(cached_lent_rate(cluster, 2, Bytes{512U << 10U}), BytesPerSecond{60e9});
  EXPECT_EQ(cached_lent_rate(cluster, 2, Bytes{2U << 20U}), BytesPerSecond{20e9});
  EXPECT_EQ(cached_lent_rate(cluster, 2, Bytes{4U << 20U}), BytesPerSecond{20e9});
  // The other two ranks are on the second socket, of which nothing is known.
  EXPECT_EQ(cached_lent_rate(cluster, 4, Bytes{512U << 10U}), BytesPerSecond{0});
}

TEST(WithFastestCaches, TakesTheFasterOfWhatIsLentAndWhatIsNot) {
  Cluster cluster = two_sockets();
  cluster.vertices[0].caches[0].lent_rate = BytesPerSecond{60e9};
  cluster.vertices[0].caches[1].lent_rate = BytesPerSecond{5e9};

  EXPECT_EQ(with_fastest_caches(cluster, 4, Bytes{512U << 10U}).cables[0].bandwidth,
            BytesPerSecond{60e9});
  EXPECT_EQ(with_fastest_caches(cluster, 4, Bytes{2U << 20U}).cables[0].bandwidth,
            BytesPerSecond{10e9});
}

// What is lent may go round the memory's limit of 20 GB/s: nothing is faster than such a machine.
TEST(WithFastestCaches, TakesWhatIsLentForMemoryToo) {
  Cluster cluster = two_sockets();
  cluster.vertices[0].caches[1].lent_rate = BytesPerSecond{12e9};

  const Cluster fastest = with_fastest_caches(cluster, 4, Bytes{1U << 30U});
  EXPECT_EQ(fastest.cables[0].bandwidth, BytesPerSecond{12e9});
  EXPECT_EQ(fastest.vertices[0].memory, BytesPerSecond{0});
  EXPECT_EQ(fastest.vertices[3].memory, cluster.vertices[3].memory);
}

}  // namespace
}  // namespace ringcast
