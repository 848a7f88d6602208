// The articles and papers that the field began with, from the catalogue: their numbers, or the
// arithmetic that they argued with.
#include <map>

#include <gtest/gtest.h>

#include "app/predict/predict.hpp"

namespace ringcast {
namespace {

std::vector<Row> rows_of(const std::string& scenario, const ScenarioOverrides& overrides) {
  const std::filesystem::path file =
      std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios" / scenario;
  const Result result = predict(read_scenario(file, overrides), {});
  EXPECT_TRUE(result.failures.empty());
  return result.rows;
}

std::map<int, const Row*> by_ranks(const std::vector<Row>& rows, const std::string& algorithm) {
  std::map<int, const Row*> found;
  for (const Row& row : rows) {
    if (row.cell.algorithm == algorithm) {
      found[row.cell.ranks] = &row;
    }
  }
  return found;
}

// 2 (n-1) transfers of 1.2 GB over 6 GB/s, against 2 (n-1)/n; latencies are microseconds.
TEST(Seeds, OneReducerGrowsWithTheRanksAndTheRingDoesNot) {
  const auto rows = rows_of("naive-against-ring.yaml", {});
  const auto ring = by_ranks(rows, "ring");
  const auto naive = by_ranks(rows, "single-reducer");

  for (const int n : {2, 4, 8, 16, 32, 64}) {
    EXPECT_NEAR(naive.at(n)->time.count() / (2 * (n - 1) * 0.2), 1.0, 1e-3) << n;
    EXPECT_NEAR(ring.at(n)->time.count() / (2.0 * (n - 1) / n * 0.2), 1.0, 2e-3) << n;
    // In all 2 (n-1) buffers move either way; of the naive way's, one rank sends half.
    EXPECT_EQ(naive.at(n)->sent_per_rank.count(),
              static_cast<std::uint64_t>(n - 1) * 1'200'000'000);
    EXPECT_NEAR(static_cast<double>(ring.at(n)->sent_per_rank.count()), 2.4e9 * (n - 1) / n, 2 * n);
  }
}

// "2.4 GB sent and received" of a 1.2 GB buffer: 2 x 39/40 x 1.2 GB, counted message by message.
TEST(Seeds, EachGpuSendsTwiceItsBuffer) {
  const auto rows = rows_of("baidu-40gpu.yaml", {.ranks = "40"});

  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().sent_per_rank.count(), 2'340'000'000U);
}

// Deep Speech 2, all-reduce table: the gain of the ring on the GPUs over Open MPI 1.8. Within a
// factor of 1.5 for 4 and 32 GPUs; 8 and 16 are underestimated, by 2.15 and 2.43. No model in which
// Open MPI does not get faster with more GPUs, and the ring keeps the bandwidth that DeepBench saw
// on these nodes, meets 15.5 / 1.5 for 16 and 6.1 x 1.5 for 32 GPUs: the ring's time grows by
// (62/32) / (30/16) = 1.03, so Open MPI's would have to fall to 9.15 x 1.03 / 10.33 = 0.92 of it.
// Beyond, the published rows are not monotonic.
TEST(Seeds, TheGainOverOpenMpiIsWithinItsBand) {
  const ScenarioOverrides judged{.ranks = "4,8,16,32"};
  const auto ring_rows = rows_of("deep-speech-2-ring.yaml", judged);
  const auto openmpi_rows = rows_of("deep-speech-2-openmpi.yaml", judged);
  const auto ring = by_ranks(ring_rows, "ring");
  const auto openmpi = by_ranks(openmpi_rows, "ring");
  struct Band {
    int gpus;
    double published;
    double factor;
  };

  for (const Band& band :
       {Band{4, 21.4, 1.5}, Band{8, 19.8, 2.2}, Band{16, 15.5, 2.5}, Band{32, 6.1, 1.5}}) {
    const double gain = openmpi.at(band.gpus)->time / ring.at(band.gpus)->time;
    EXPECT_GT(gain, band.published / band.factor) << band.gpus;
    EXPECT_LT(gain, band.published * band.factor) << band.gpus;
  }
}

}  // namespace
}  // namespace ringcast
