// The effect of a cluster file's caches on predictions: exact times on a host of two cores.
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class CachedMachineTest : public PredictTest {
 protected:
  /// Copies at 30 GB/s up to 2 MiB of both buffers together, and from 8 MiB on at 8 GB/s or, where
  /// they are reduced as they come, 6 GB/s; what is lent at 60 and 16 GB/s.
  [[nodiscard]] Scenario host(Bytes size) const {
    folder().write("host.yaml", R"(name: host
source: invented
node_types:
  host:
    sockets:
      - processes: 2
        process_link: {bandwidth: 8 GB/s, latency: 0, source: invented}
        memory: 100 GB/s
        caches:
          - {touched: 2 MiB, bandwidth: 30 GB/s, lent_rate: 60 GB/s}
          - {touched: 8 MiB, bandwidth: 8 GB/s, reduce_rate: 6 GB/s, lent_rate: 16 GB/s}
nodes: [{type: host}]
)");
    Scenario scenario = scenario_on(read_cluster(folder() / "host.yaml"), 2, size);
    scenario.transport.fused_reduction = true;
    return scenario;
  }
  static double time_of(const Scenario& scenario) { return rows_of(scenario).at(0).time.count(); }
};

constexpr double MiB = 1U << 20U;

// Two ranks: half a buffer is reduced as it comes, the other half copied.
TEST_F(CachedMachineTest, TakesTheRatesOfTheCellsBuffers) {
  const double small = time_of(host(Bytes{1U << 20U}));
  const double large = time_of(host(Bytes{4U << 20U}));

  EXPECT_NEAR(small, MiB / 30e9, 1e-6 * small);
  EXPECT_NEAR(large, 2 * MiB / 6e9 + 2 * MiB / 8e9, 1e-6 * large);
}

// Beyond the last entry the core and the memory are the limit of a copy; a receive that reduces is
// no faster than in the last entry.
TEST_F(CachedMachineTest, LeavesMoreThanTheLastEntryToTheMemory) {
  const double time = time_of(host(Bytes{64U << 20U}));

  EXPECT_NEAR(time, 32 * MiB / 6e9 + 32 * MiB / 8e9, 1e-6 * time);
}

// 5 GB/s of a reduction that follows the copy: not what the caches tell of.
TEST_F(CachedMachineTest, LeavesAReductionAloneThatFollowsTheReceive) {
  Scenario scenario = host(Bytes{4U << 20U});
  scenario.transport.fused_reduction = false;
  scenario.transport.reduce_rate = BytesPerSecond{5e9};

  const double time = time_of(scenario);

  EXPECT_NEAR(time, 4 * MiB / 8e9 + 2 * MiB / 5e9, 1e-6 * time);
}

TEST_F(CachedMachineTest, KeepsALowerRateOfTheTransport) {
  Scenario scenario = host(Bytes{4U << 20U});
  scenario.transport.reduce_rate = BytesPerSecond{4e9};

  const double time = time_of(scenario);

  EXPECT_NEAR(time, 2 * MiB / 4e9 + 2 * MiB / 8e9, 1e-6 * time);
}

TEST_F(CachedMachineTest, LowersAHigherRateOfTheTransport) {
  Scenario scenario = host(Bytes{4U << 20U});
  scenario.transport.reduce_rate = BytesPerSecond{7e9};

  const double time = time_of(scenario);

  EXPECT_NEAR(time, 2 * MiB / 6e9 + 2 * MiB / 8e9, 1e-6 * time);
}

// Half a buffer is lent, reduced as it comes, and answered. No prediction is below its bound: the
// cores are as fast as that.
TEST_F(CachedMachineTest, TakesTheRateOfWhatIsLent) {
  const auto time = [&](std::uint64_t size) {
    Scenario scenario = host(Bytes{size});
    scenario.algorithms = {"recursive-halving-doubling"};
    return time_of(scenario);
  };

  EXPECT_NEAR(time(1U << 20U), MiB / 60e9, 1e-6 * MiB / 60e9);
  EXPECT_NEAR(time(4U << 20U), 4 * MiB / 16e9, 1e-6 * 4 * MiB / 16e9);
  // Beyond the caches it is as at the last of them.
  EXPECT_NEAR(time(64U << 20U), 64 * MiB / 16e9, 1e-6 * 64 * MiB / 16e9);
}

// The reduction follows the receive of every other message.
TEST_F(CachedMachineTest, AddsAReductionThatFollowsWhatIsLent) {
  Scenario scenario = host(Bytes{4U << 20U});
  scenario.algorithms = {"recursive-halving-doubling"};
  scenario.transport.fused_reduction = false;
  scenario.transport.reduce_rate = BytesPerSecond{5e9};

  const double time = time_of(scenario);

  EXPECT_NEAR(time, 4 * MiB / 16e9 + 2 * MiB / 5e9, 1e-6 * time);
}

}  // namespace
}  // namespace ringcast
