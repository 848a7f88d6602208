#include "tests/ring_cost.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {
namespace {

// The textbook's formula: 2(n-1)(a + S/(n b)) + (n-1) S/(n r).
// n = 8, S = 64 MB, b = 10 GB/s, a = 5 us, r = 100 GB/s:
// 14 (5e-6 + 8e6/1e10) + 7 x 8e6/1e11 = 14 x 805e-6 + 560e-6 = 11.83e-3.
TEST(RingAllreduceTime, IsTheTextbooksForWholeChunks) {
  const HopCost hop{5_us, 10_GBps, Seconds{1e-11}};

  const Seconds time = ring_allreduce_time({8, Bytes{8'000'000}, 1}, hop);

  EXPECT_NEAR(time.count(), 11.83e-3, 1e-12);
}

TEST(RingAllreduceTime, OfOneRankIsNothing) {
  EXPECT_EQ(ring_allreduce_time({1, 1_GiB, 4}, {5_us, 10_GBps}), Seconds{0});
  EXPECT_EQ(ring_reduce_scatter_time({1, 1_GiB, 4}, {5_us, 10_GBps}), Seconds{0});
  EXPECT_EQ(ring_all_gather_time({1, 1_GiB, 4}, {5_us, 10_GBps}), Seconds{0});
}

// Segments that take longer than latency and reduction hide both: only the first latency is left,
// and 2(n-1) chunks cross without a pause. n = 4, chunk 8 MB in 8 segments of 100 us, a = 5 us:
// 5e-6 + 6 x 800e-6.
TEST(RingAllreduceTime, WithSegmentsHidesLatencyAndReduction) {
  const HopCost hop{5_us, 10_GBps, Seconds{1e-11}};

  const Seconds time = ring_allreduce_time({4, Bytes{8'000'000}, 8}, hop);

  EXPECT_NEAR(time.count(), 5e-6 + 6 * 800e-6, 1e-12);
}

// Short segments cannot: a step lasts one segment's latency plus transfer. n = 3, chunk 2 KB in 2
// segments of 100 ns, a = 1 us: 1e-6 + 2e-7 + 2 x 1.1e-6 + 1 x 1.1e-6.
TEST(RingAllreduceTime, WithShortSegmentsIsBoundByLatency) {
  const Seconds time = ring_allreduce_time({3, Bytes{2000}, 2}, {1_us, 10_GBps});

  EXPECT_NEAR(time.count(), 1.2e-6 + 3 * 1.1e-6, 1e-15);
}

/// The ring step by step, all ranks alike: when does the last of the 2(n-1)k segments arrive?
/// Segment i is posted once segment i - k has come and been combined, takes the wire a later or
/// after the segment before it, and is combined after it has come and the one before it has been
/// combined.
double by_recursion(RingPhases phases, int ranks, int segments, double transfer, double latency,
                    double reduction) {
  const int phase = (ranks - 1) * segments;
  const int reducing = phases == RingPhases::all_gather ? 0 : phase;
  std::vector<double> begins;
  std::vector<double> ready;
  for (int i = 0; i < (phases == RingPhases::both ? 2 : 1) * phase; ++i) {
    const auto at = [](const std::vector<double>& times, int index) {
      return index < 0 ? 0.0 : times[static_cast<std::size_t>(index)];
    };
    const double posted = at(ready, i - segments);
    const double wire_free = i == 0 ? 0.0 : at(begins, i - 1) + transfer;
    begins.push_back(std::max(posted + latency, wire_free));
    ready.push_back(std::max(begins.back() + transfer, at(ready, i - 1)) +
                    (i < reducing ? reduction : 0.0));
  }
  return ready.back();
}

// Times of whole seconds, so that all sums are exact: a segment of t bytes at 1 B/s takes t.
TEST(RingAllreduceTime, SolvesTheRecursionInEveryRegime) {
  for (int ranks = 2; ranks <= 6; ++ranks) {
    for (int segments = 1; segments <= 6; ++segments) {
      for (const unsigned transfer : {1U, 2U, 3U, 10U}) {
        for (const int latency : {0, 1, 3, 7, 50}) {
          for (const int reduction : {0, 1, 2, 4, 9, 30}) {
            const Bytes chunk{static_cast<unsigned>(segments) * transfer};
            const HopCost hop{Seconds{latency}, BytesPerSecond{1},
                              Seconds{static_cast<double>(reduction) / transfer}};

            const RingShape shape{ranks, chunk, segments};

            const auto solves = [&](Seconds time, RingPhases phases) {
              ASSERT_NEAR(time.count(),
                          by_recursion(phases, ranks, segments, transfer, latency, reduction), 1e-9)
                  << ranks << " ranks, " << segments << " segments of " << transfer
                  << " s, latency " << latency << " s, reduction " << reduction << " s";
            };
            solves(ring_allreduce_time(shape, hop), RingPhases::both);
            solves(ring_reduce_scatter_time(shape, hop), RingPhases::reduce_scatter);
            solves(ring_all_gather_time(shape, hop), RingPhases::all_gather);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringcast
