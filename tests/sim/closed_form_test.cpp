#include <gtest/gtest.h>

#include "engine/schedule/chunks.hpp"
#include "engine/schedule/ring_schedule.hpp"
#include "tests/ring_cost.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

using testing::number_from_fork;

constexpr BytesPerSecond link_bandwidth = 10_GBps;
// Two cables are crossed from GPU to GPU.
constexpr Seconds cable_latency = 1_us;
constexpr Seconds hop_latency = 2_us;

struct Shape {
  int ranks;
  std::uint64_t elements;
  std::uint64_t segment_elements = 0;  // 0: whole chunks
};

double simulated(const Shape& shape, const TransportProfile& profile) {
  std::optional<Bytes> segment;
  if (shape.segment_elements > 0) {
    segment = shape.segment_elements * 4_B;
  }
  return number_from_fork([&] {
    return testing::simulated_time(testing::star(shape.ranks, link_bandwidth, cable_latency),
                                   profile,
                                   testing::ring_program(shape.ranks, shape.elements, segment))
        .count();
  });
}

double expected(const Shape& shape, Seconds reduce_per_byte = Seconds{0}) {
  const std::uint64_t chunk = Chunks{{0, shape.elements}, shape.ranks}.largest();
  return ring_allreduce_time(
             {shape.ranks, chunk * 4_B, segment_count(chunk, shape.segment_elements)},
             {hop_latency, link_bandwidth, reduce_per_byte})
      .count();
}

// 1 KiB, 1 MiB and 1.2 GB of float32.
constexpr std::uint64_t sizes[] = {256, 262'144, 300'000'000};

TEST(SimulatedRing, TakesTheClosedFormsTimeWithWholeChunks) {
  for (const int ranks : {2, 3, 5, 8, 16, 64}) {
    for (const std::uint64_t elements : sizes) {
      const Shape shape{ranks, elements};

      EXPECT_NEAR(simulated(shape, testing::free_of_cost()) / expected(shape), 1.0, 1e-9)
          << ranks << " ranks, " << elements << " elements";
    }
  }
}

// k equal segments per chunk: the elements are a multiple of ranks * k.
TEST(SimulatedRing, TakesTheClosedFormsTimeWithSegments) {
  for (const int ranks : {2, 3, 8, 16}) {
    for (const std::uint64_t segments : {2U, 4U, 16U}) {
      for (const std::uint64_t segment : {1U, 1024U, 100'000U}) {
        const Shape shape{ranks, static_cast<std::uint64_t>(ranks) * segments * segment, segment};

        EXPECT_NEAR(simulated(shape, testing::free_of_cost()) / expected(shape), 1.0, 1e-9)
            << ranks << " ranks, " << segments << " segments of " << segment;
      }
    }
  }
}

// More segments than a rank has under way (256), each too long for that to matter.
TEST(SimulatedRing, TakesTheClosedFormsTimeWithManySegments) {
  const Shape shape{3, 3ULL * 1000 * 2000, 2000};

  EXPECT_NEAR(simulated(shape, testing::free_of_cost()) / expected(shape), 1.0, 1e-9);
}

// The reduction follows each receive: 1 / (20 GB/s) per byte is faster than the wire, 1 / (5 GB/s)
// slower, so that the terms k t and k r of the formula both decide somewhere.
TEST(SimulatedRing, AddsTheReductionWhereItIsNotHidden) {
  for (const BytesPerSecond rate : {20_GBps, 5_GBps}) {
    TransportProfile profile = testing::free_of_cost();
    profile.reduce_rate = rate;
    for (const std::uint64_t segments : {1U, 2U, 8U}) {
      const Shape shape{4, 4 * segments * 50'000, segments > 1 ? 50'000U : 0U};

      EXPECT_NEAR(simulated(shape, profile) / expected(shape, Seconds{1 / rate.value()}), 1.0, 1e-9)
          << segments << " segments, reduced at " << to_text(rate);
    }
  }
}

// An overhead of 3 us keeps the wire idle between the segments of a stream: t grows by it.
TEST(SimulatedRing, PaysAnOverheadForEachSegment) {
  TransportProfile profile = testing::free_of_cost();
  profile.message_overhead = 3_us;
  for (const int ranks : {2, 5}) {
    for (const std::uint64_t segments : {1U, 4U, 16U}) {
      const Shape shape{ranks, static_cast<std::uint64_t>(ranks) * segments * 50'000,
                        segments > 1 ? 50'000U : 0U};
      const RingShape ring{ranks, Bytes{segments * 200'000}, static_cast<int>(segments)};
      const HopCost hop{2 * cable_latency, link_bandwidth, Seconds{0}, 3_us};

      EXPECT_NEAR(simulated(shape, profile) / ring_allreduce_time(ring, hop).count(), 1.0, 1e-9)
          << ranks << " ranks, " << segments << " segments";
    }
  }
}

/// 5 us, or 1 us beside that of the cables at half the rate.
std::vector<Protocol> whole_and_half() {
  const auto latency = [](Seconds more) {
    const Seconds all = 2 * cable_latency + more;
    return std::map<PathKind, Seconds>{
        {PathKind::p2p, all}, {PathKind::nvlink, all}, {PathKind::network, all}};
  };
  return {{.algorithm = "ring", .name = "whole", .latencies = latency(5_us)},
          {.algorithm = "ring", .name = "half", .latencies = latency(1_us), .efficiency = 0.5}};
}

// As a ring of that latency at half the bandwidth while its chunks are short: below 40 kB, where
// the halved rate costs the 4 us that the latency saves. Longer ones cost 5 us.
TEST(SimulatedRing, SendsShortChunksTheShortWay) {
  TransportProfile profile = testing::free_of_cost();
  profile.protocols = whole_and_half();
  for (const int ranks : {2, 5}) {
    for (const std::uint64_t chunk : {4U, 39'996U, 40'004U, 4'000'000U}) {
      const Shape shape{ranks, static_cast<std::uint64_t>(ranks) * chunk / 4, 0U};
      const bool is_short = chunk < 40'000;
      const HopCost hop{2 * cable_latency, (is_short ? 0.5 : 1.0) * link_bandwidth, Seconds{0},
                        is_short ? 1_us : 5_us};

      EXPECT_NEAR(simulated(shape, profile) /
                      ring_allreduce_time(RingShape{ranks, Bytes{chunk}, 1}, hop).count(),
                  1.0, 1e-9)
          << ranks << " ranks, chunks of " << chunk << " bytes";
    }
  }
}

// The limit is of the data that is reduced, however much of flags comes with it: 3 GB/s, where
// short messages alone would have 5.
TEST(SimulatedRing, ReducesShortChunksAtTheSameRate) {
  TransportProfile profile = testing::free_of_cost();
  profile.protocols = whole_and_half();
  profile.fused_reduction = true;
  profile.reduce_rate = 0.3 * link_bandwidth;
  const Shape shape{4, 4 * 5'000, 0U};
  const Bytes chunk{20'000};
  const Seconds step = 2 * cable_latency + 1_us;

  EXPECT_NEAR(
      simulated(shape, profile),
      (6 * step + 3 * (chunk / (0.3 * link_bandwidth)) + 3 * (chunk / (0.5 * link_bandwidth)))
          .count(),
      1e-12);
}

// A fused reduction limits the rate of the n-1 steps that reduce:
// (n-1)(a + S/(n 5 GB/s)) + (n-1)(a + S/(n 10 GB/s)).
TEST(SimulatedRing, ReceivesNoFasterThanAFusedReduction) {
  TransportProfile profile = testing::free_of_cost();
  profile.reduce_rate = 5_GBps;
  profile.fused_reduction = true;
  const Shape shape{4, 1'000'000};
  const double chunk_bytes = 1e6;

  const double by_hand = 3 * (2e-6 + chunk_bytes / 5e9) + 3 * (2e-6 + chunk_bytes / 10e9);

  EXPECT_NEAR(simulated(shape, profile) / by_hand, 1.0, 1e-9);
}

// One channel more shares the same cables: the bytes are the same, the latencies overlap.
// Two channels of S/2 each: per step both chunks of S/(2n) share the link, so a + S/(n b).
TEST(SimulatedRing, SharesItsCablesBetweenChannels) {
  const int ranks = 4;
  const std::uint64_t elements = 8'000'000;

  const double time = number_from_fork([&] {
    return testing::simulated_time(
               testing::star(ranks, link_bandwidth, cable_latency), testing::free_of_cost(),
               [&](RankContext& self) {
                 const RingOrder ring = RingOrder::identity(ranks);
                 const BufferId data = self.memory.allocate(elements * 4_B);
                 make_allreduce("ring", {{ring, ring}, std::nullopt})->run({data, elements}, self);
               })
        .count();
  });

  EXPECT_NEAR(time / (2 * 3 * (2e-6 + 32e6 / 4 / 10e9)), 1.0, 1e-9);
}

TEST(SimulatedRing, OfOneRankTakesNoTime) {
  EXPECT_EQ(simulated({1, 1'000'000}, testing::free_of_cost()), 0.0);
}

TEST(SimulatedRing, OfNoElementsTakesNoTime) {
  EXPECT_EQ(simulated({4, 0}, testing::free_of_cost()), 0.0);
}

// 3 elements on 4 ranks: chunks of 1, 1, 1 and 0 elements. An element's way round is still
// 2(n-1) hops of a + 4 B / b.
TEST(SimulatedRing, OfFewerElementsThanRanksTakesTheLargestChunksTime) {
  EXPECT_NEAR(simulated({4, 3}, testing::free_of_cost()) / (6 * (2e-6 + 4 / 10e9)), 1.0, 1e-9);
}

// More than 2^32 bytes and more than 2^31 elements.
TEST(SimulatedRing, CountsBeyond32Bits) {
  const Shape shape{3, 3'000'000'001};

  EXPECT_NEAR(simulated(shape, testing::free_of_cost()) / expected(shape), 1.0, 1e-9);
}

}  // namespace
}  // namespace ringcast
