#include <gtest/gtest.h>

#include "tests/app/predict/predictions.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

class LaunchTest : public PredictTest {
 protected:
  /// Four GPUs; six hops of 2 us for a buffer of four elements.
  [[nodiscard]] double time_of(int gpus_per_process, Bytes size, ClusterSpec cluster = star(4),
                               int ranks = 4) const {
    Scenario scenario = scenario_on(std::move(cluster), ranks, size);
    scenario.transport.gpus_per_process = gpus_per_process;
    return rows_of(scenario).at(0).time.count();
  }
};

TEST_F(LaunchTest, TakesAtLeastTheLaunchesOfAProcess) {
  const double launch = 1e-6 * measured_constant(kernel_launch);
  EXPECT_NEAR(time_of(1, 16_B), 12e-6, 0.1e-6);
  EXPECT_NEAR(time_of(2, 16_B), 12e-6, 0.1e-6);  // 9.4 us
  EXPECT_NEAR(time_of(4, 16_B), 4 * launch, 1e-12);
  // More than the node has.
  EXPECT_NEAR(time_of(8, 16_B), 4 * launch, 1e-12);
  EXPECT_DOUBLE_EQ(time_of(4, 1_MiB), time_of(1, 1_MiB));
}

// Each node has a process of its own: four launches, and 14 hops, two of them between the nodes.
TEST_F(LaunchTest, CountsTheRanksOfANode) {
  EXPECT_DOUBLE_EQ(time_of(8, 32_B, two_nodes(), 8), time_of(1, 32_B, two_nodes(), 8));
}

TEST_F(LaunchTest, TakesLongerWithHip) {
  Scenario scenario = scenario_on(star(4), 4, 16_B);
  scenario.transport.gpus_per_process = 4;
  scenario.transport.tuner = Tuner::rccl;
  EXPECT_NEAR(rows_of(scenario).at(0).time.count(), 4e-6 * measured_constant(hip_launch), 1e-12);
}

TEST_F(LaunchTest, LeavesOutASample) {
  EXPECT_EQ(measured_constant(kernel_launch), 4.7);
  EXPECT_GT(measured_constant(kernel_launch, "8xa100-by-count"), 4.7);
}

}  // namespace
}  // namespace ringcast
