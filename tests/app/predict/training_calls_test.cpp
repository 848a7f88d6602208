#include "app/predict/training_calls.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/predict/link_loads.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

/// Two nodes of eight H100 with NCCL's newest tuner: NCCL takes a tree for 64 KiB there and sums in
/// the switches for 256 MiB. Two layers of so many bytes, the small one in front, each all-reduced
/// by itself; 1 ms forward and 2 ms backward each.
class TrainingCallsTest : public PredictTest {
 protected:
  TrainingCallsTest() {
    folder().write("model.yaml", R"(
name: two layers
source: test
parameters: 67125248
batch: 1
layers:
  - {name: small, parameters: 16384, forward: 1 ms, backward: 2 ms}
  - {name: large, parameters: 67108864, forward: 1 ms, backward: 2 ms}
)");
  }

  [[nodiscard]] Scenario scenario(const std::string& workload,
                                  const std::string& cluster = "dgx-h100-2-nodes",
                                  const std::string& transport = "transport: nccl") const {
    folder().write("scenario.yaml", fmt::format("cluster: {}/scenarios/clusters/{}.yaml\n{}\n{}",
                                                RINGCAST_SOURCE_DIR, cluster, transport, workload));
    return read_scenario(folder() / "scenario.yaml");
  }
  [[nodiscard]] Scenario training(const std::string& more) const {
    return scenario(two_layers + more);
  }
  [[nodiscard]] static Row row_of(const Scenario& scenario, const PredictOptions& options = {}) {
    const Result result = predict_training(scenario, options);
    EXPECT_TRUE(result.failures.empty()) << result.failures.front().error;
    EXPECT_EQ(result.rows.size(), 1U);
    return result.rows.at(0);
  }
  [[nodiscard]] static Bytes carried(const Row& row, const LinkLoad& on) {
    const auto found = std::ranges::find(row.busiest, on.name, &LinkLoad::name);
    return found == row.busiest.end() ? Bytes{0} : found->carried;
  }
  /// The two layers' all-reduces together, each by itself.
  [[nodiscard]] Seconds time_of_both(const std::string& algorithm) const {
    const std::vector<Row> rows =
        rows_of(scenario("sizes: [64 KiB, 256 MiB]\nalgorithm: " + algorithm));
    return rows.at(0).time + rows.at(1).time;
  }

  const std::string two_layers = R"(training:
  model: model.yaml
  batch_per_gpu: 1
  bucketing: per-layer
  overlap: off
)";
  static constexpr Seconds computing{6e-3};
};

TEST_F(TrainingCallsTest, TakeTheTimesOfNcclsChoiceForEachBucket) {
  const std::vector<Row> alone = rows_of(scenario("sizes: [64 KiB, 256 MiB]"));
  ASSERT_EQ(alone.at(0).cell.algorithm, "tree");
  ASSERT_EQ(alone.at(1).cell.algorithm, "in-switch");

  const Row row = row_of(training(""));

  EXPECT_EQ(algorithm_text(row.cell), "in-switch/Simple");
  EXPECT_TRUE(row.cell.is_chosen);
  const Seconds both = alone.at(0).time + alone.at(1).time;
  EXPECT_NEAR(row.iteration->allreduce.count(), both.count(), 1e-12);
  EXPECT_NEAR(row.time.count(), (computing + both).count(), 1e-12);
  for (const LinkLoad& load : row.busiest) {
    EXPECT_EQ(load.carried, carried(alone.at(0), load) + carried(alone.at(1), load)) << load.name;
  }
}

TEST_F(TrainingCallsTest, AreOfTheAlgorithmThatIsGiven) {
  for (const std::string algorithm : {"ring", "tree"}) {
    const Row row = row_of(training("algorithm: " + algorithm + "\n"));

    EXPECT_EQ(row.cell.algorithm, algorithm);
    EXPECT_FALSE(row.cell.is_chosen);
    EXPECT_NEAR(row.iteration->allreduce.count(), time_of_both(algorithm).count(), 1e-12);
  }
}

// Both layers' rings cross the same links, in whole bytes.
TEST_F(TrainingCallsTest, AddUpTheLoadsOfLinks) {
  const std::vector<Row> alone = rows_of(scenario("sizes: [64 KiB, 256 MiB]\nalgorithm: ring"));
  const Row row = row_of(training("algorithm: ring\n"));

  EXPECT_EQ(row.busiest.size(), most_link_loads);
  const LinkLoad& first = row.busiest.at(0);
  ASSERT_GT(carried(alone.at(0), first), Bytes{0});
  EXPECT_EQ(first.carried, carried(alone[0], first) + carried(alone.at(1), first));
  EXPECT_NEAR(first.utilisation, first.carried / first.bandwidth / row.time, 1e-12);
  EXPECT_LT(first.utilisation, 1);
}

TEST_F(TrainingCallsTest, AreMarkedInATableBesideNamedAlgorithms) {
  const std::string table = to_table(predict_training(training("algorithm: [auto, ring]\n"), {}));

  EXPECT_NE(table.find("in-switch/Simple (auto)"), std::string::npos) << table;
}

// Rings have halves, trees have none: both halves together take as long as the whole.
TEST_F(TrainingCallsTest, TakeHalfOfTheTimeForAHalf) {
  const Row row = row_of(training("  weights: before-forward\n"));

  EXPECT_EQ(row.cell.algorithm, "ring");
  EXPECT_NEAR(row.iteration->allreduce.count(), time_of_both("ring").count(), 1e-12);
}

// Rank 5 takes 12 ms, twice as long as the others, who wait for it.
TEST_F(TrainingCallsTest, BeginWhenTheLastRankDoes) {
  const Row row = row_of(training("  stragglers: {ranks: [5], slowdown: 2}\n"));

  EXPECT_NEAR(row.time.count(), (2 * computing + time_of_both("auto")).count(), 1e-12);
  EXPECT_NEAR(row.iteration->compute.count(), 2 * computing.count(), 1e-12);
}

TEST_F(TrainingCallsTest, AreCheckedWithData) {
  Scenario few = training("");
  few.ranks = {3};

  EXPECT_TRUE(row_of(few, {.check = true}).verified);
}

// Each size is simulated once, whatever the cell: with and without overlap, for both numbers of
// ranks.
TEST_F(TrainingCallsTest, AreSimulatedOnceForAllCells) {
  Scenario sweep = training("");
  sweep.ranks = {2, 16};
  sweep.training->overlaps = {true, false};
  std::size_t cells = 0;
  const Result result = predict_training(
      sweep, {.progress = [&](const WorkDone& done) { cells = std::max(cells, done.cells); }});

  EXPECT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(cells, 4U);
}

// Their reductions would delay the computation between the calls.
TEST_F(TrainingCallsTest, AreNoneWhereReductionsCompeteWithComputations) {
  folder().write("competing.yaml",
                 fmt::format("name: competing\nsource: test\ncompute_competition: 0.3\n"
                             "base: {}/scenarios/transports/nccl.yaml\n",
                             RINGCAST_SOURCE_DIR));
  const Scenario competing =
      scenario(two_layers, "dgx-h100-2-nodes", "transport: competing.yaml\nranks: 8");
  const Topology topology{build_cluster(competing.cluster)};

  const PlannedTraining planned = plan_training(competing, topology).at(0);

  EXPECT_TRUE(planned.calls.empty());
  EXPECT_EQ(algorithm_text(planned.cell), "ring");
  EXPECT_TRUE(planned.cell.is_chosen);
}

TEST_F(TrainingCallsTest, AreRefusedWhereTheMachineCannotRunThem) {
  const Result result =
      predict_training(scenario(two_layers + "algorithm: in-switch\n", "dgx-a100"), {});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].error.find("in-switch cannot run on"), std::string::npos)
      << result.failures[0].error;
}

TEST_F(TrainingCallsTest, NeedATunerForAuto) {
  const std::string message = message_of(folder(), [&] {
    static_cast<void>(scenario(two_layers + "algorithm: auto\n", "dgx-a100", "transport: ideal"));
  });

  EXPECT_EQ(message,
            "scenario.yaml:8:12: algorithm: auto, but \"ideal\" has no tuner to choose for a "
            "training (expected an algorithm, or a transport such as nccl)");
}

}  // namespace
}  // namespace ringcast
