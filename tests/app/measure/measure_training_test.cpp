#include "app/measure/measure_training.hpp"

#include <algorithm>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/measure/measurement.hpp"
#include "app/report/comparison.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"
#include "tests/app/temporary_folder.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

// Three layers of 1.5 ms; 4 kB of gradients each, but for the second.
const std::string training_text = R"(name: test
cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [1, 3]
training:
  model:
    name: three layers
    source: invented
    parameters: 2000
    batch: 1
    layers:
      - {name: a, parameters: 1000, forward: 0.5 ms, backward: 1 ms}
      - {name: b, parameters: 0, forward: 0.5 ms, backward: 1 ms}
      - {name: c, parameters: 1000, forward: 0.5 ms, backward: 1 ms}
  batch_per_gpu: 2
  bucketing: per-layer
  overlap: both
)";
// The time of 2 samples in 3 layers.
constexpr Seconds compute{0.009};

class MeasuredTraining : public ::testing::Test {
 protected:
  [[nodiscard]] Scenario scenario(const std::string& more = "",
                                  const ScenarioOverrides& overrides = {}) const {
    folder_.write("cluster.yaml", eight_gpus);
    folder_.write("scenario.yaml", training_text + more);
    return read_scenario(folder_ / "scenario.yaml", overrides, Purpose::measurement);
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

std::vector<Row> measured(const Scenario& scenario, std::optional<Rank> timeline = std::nullopt) {
  TimingOptions options;
  options.warmup = 1;
  options.repetitions = 3;
  std::vector<Row> rows;
  for (const PlannedTraining& planned : plan_measurement(scenario, {0, 1, 0})) {
    const Cell& cell = planned.cell;
    ReferenceTransport transport{cell.ranks, cell.reduction};
    const AllreduceHalves halves = make_collectives(planned);
    rows.push_back(measure_training(transport, {halves.reduce.get(), halves.gather.get()}, planned,
                                    *scenario.training, options, timeline));
  }
  return rows;
}

TEST_F(MeasuredTraining, HasTheCellsOfThePrediction) {
  const std::vector<PlannedTraining> cells = plan_measurement(scenario(), {0, 1, 0});

  // 2 numbers of ranks x overlap on and off.
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(to_text(cells[0].cell),
            "1 rank, ring, by-rank, weak scaling, 2 a GPU, buckets per-layer, overlap on");
  EXPECT_EQ(cells[3].cell.ranks, 3);
  EXPECT_FALSE(cells[3].cell.training->overlap);
  EXPECT_EQ(cells[3].cell.transport, "mpi");
  EXPECT_EQ(cells[3].cell.training->global_batch, 6);
  EXPECT_EQ(cells[3].options.node_of, (std::vector<int>{0, 1, 0}));
}

// Two samples on one GPU take 9 ms, whatever was measured.
TEST_F(MeasuredTraining, BecomesRows) {
  for (const Row& row : measured(scenario())) {
    EXPECT_EQ(row.iteration->repetitions, 3);
    EXPECT_TRUE(row.verified);
    EXPECT_NEAR(row.iteration->compute / compute, 1, 1e-9);
    EXPECT_GE(row.time, compute);
    EXPECT_GE(row.time, row.iteration->allreduce);
    EXPECT_LE(row.time_min, row.time);
    EXPECT_LE(row.time, row.time_max);
    EXPECT_NEAR(row.iteration->one_gpu_samples_per_s, 2 / compute.count(), 1e-6);
    EXPECT_LE(row.efficiency(), 1);
    EXPECT_TRUE(row.iteration->timeline.empty());
    EXPECT_EQ(to_text(row_from_json(to_json(row)).cell), to_text(row.cell));
  }
}

TEST_F(MeasuredTraining, IsComparedWithAPredictionCellByCell) {
  const std::vector<Row> rows = measured(scenario());
  NamedResult predicted{"predicted", {}};
  NamedResult found{"measured", {}};
  predicted.result.rows = rows;
  found.result.rows = rows;
  predicted.result.provenance.simulated = true;
  found.result.provenance.simulated = false;

  const Comparison comparison = compare(predicted, found);

  ASSERT_EQ(comparison.cells.size(), 4U);
  EXPECT_EQ(comparison.mean_absolute_error(), 0);
}

TEST_F(MeasuredTraining, WaitsForAStraggler) {
  const Scenario slow = scenario("  stragglers: {ranks: [2], slowdown: 2}\n");

  const Row row = measured(slow).back();

  EXPECT_EQ(row.cell.ranks, 3);
  EXPECT_NEAR(row.iteration->compute / compute, 2, 1e-9);
  EXPECT_GE(row.time, 2 * compute);
}

// In repetitions 0, 1 and 2 each rank draws the prediction's noise; the slowest rank has the row.
TEST_F(MeasuredTraining, DrawsThePredictionsNoise) {
  const Scenario noisy = scenario("  jitter: 20%\nseed: 7\n");
  std::vector<double> slowest;
  for (const std::uint64_t repetition : {0U, 1U, 2U}) {
    double factor = 0;
    for (const int rank : {0, 1, 2}) {
      factor = std::max(factor, slowness(noisy.training->noise, Rank{rank}, repetition));
    }
    slowest.push_back(factor);
  }

  const double found = measured(noisy).back().iteration->compute / compute;

  EXPECT_TRUE(std::ranges::any_of(slowest, [&](double one) {
    return std::abs(found - one) < 1e-9;
  })) << found;
}

TEST_F(MeasuredTraining, HasATimelineOfTheRankThatWasAskedFor) {
  ScenarioOverrides overrides;
  overrides.ranks = "3";
  overrides.overlap = "off";

  const Row row = measured(scenario("", overrides), Rank{1}).at(0);

  // Forward and backward of three layers, and the two that have parameters are all-reduced.
  ASSERT_EQ(row.iteration->timeline.size(), 8U);
  EXPECT_EQ(row.iteration->timeline[3].name, "backward c");
  EXPECT_EQ(row.iteration->timeline[6].name, "bucket 1: c");
  EXPECT_EQ(row.iteration->timeline[7].name, "bucket 2: a");
  EXPECT_FALSE(row.iteration->timeline[5].communicates);
  EXPECT_TRUE(row.iteration->timeline[6].communicates);
  // Without overlap communication begins when all is computed.
  EXPECT_GE(row.iteration->timeline[6].time.begin, compute - Seconds{1e-9});
  EXPECT_LE(row.iteration->timeline[6].time.end, row.iteration->timeline[7].time.begin);
  EXPECT_LE(row.iteration->timeline[7].time.end, row.time_max);
}

TEST_F(MeasuredTraining, BringsWeightsBeforeForward) {
  const std::vector<Row> rows = measured(scenario("  weights: before-forward\n"), Rank{0});

  for (const Row& row : rows) {
    EXPECT_TRUE(row.verified);
    EXPECT_TRUE(row.cell.training->weights_before_forward);
    EXPECT_GE(row.time, compute);
    EXPECT_EQ(to_text(row_from_json(to_json(row)).cell), to_text(row.cell));
  }
  // With overlap: three layers forward and backward, and both halves for two of them.
  const Row& row = rows[2];
  EXPECT_EQ(row.cell.ranks, 3);
  ASSERT_EQ(row.iteration->timeline.size(), 10U);
  EXPECT_EQ(row.iteration->timeline[0].name, "forward a");
  EXPECT_EQ(row.iteration->timeline[6].name, "weights of bucket 2: a");
  EXPECT_EQ(row.iteration->timeline[7].name, "weights of bucket 1: c");
  EXPECT_EQ(row.iteration->timeline[8].name, "bucket 1: c");
  EXPECT_GE(row.iteration->timeline[0].time.begin, row.iteration->timeline[6].time.end);
  EXPECT_GE(row.iteration->timeline[2].time.begin, row.iteration->timeline[7].time.end);
}

TEST_F(MeasuredTraining, ChecksTheSums) {
  class Nothing final : public Collective {
   public:
    [[nodiscard]] std::string_view name() const override { return "nothing"; }
    void run(const CollectiveRequest& /*request*/, RankContext& /*self*/) const override {}
  };
  const Scenario trained = scenario();
  const PlannedTraining planned = plan_measurement(trained, {0, 1, 0}).back();
  ReferenceTransport transport{3, {}};

  const Nothing nothing;

  EXPECT_THROW(static_cast<void>(measure_training(transport, {&nothing, nullptr}, planned,
                                                  *trained.training, {}, std::nullopt)),
               WrongResult);
}

TEST_F(MeasuredTraining, TimesTheBroadcastOfTheWeights) {
  const PlannedTraining planned = plan_measurement(scenario(), {0, 1, 0}).back();
  ReferenceTransport transport{3, {}};

  EXPECT_GT(measure_broadcast(transport, planned, {}), Seconds{0});
}

TEST_F(MeasuredTraining, HasNoAsynchronousOneAndNoChoice) {
  for (const std::string name : {"parameter-server-async", "auto"}) {
    EXPECT_EQ(
        message_of(folder(), [&] { static_cast<void>(scenario("algorithm: " + name + "\n")); }),
        fmt::format("scenario.yaml:18:12: algorithm: \"{}\" can only be predicted (expected {}, "
                    "mpi or nccl)",
                    name, fmt::join(allreduce_names(), ", ")));
  }
}

TEST_F(MeasuredTraining, NeedsTheRankOfATimelineInEveryCell) {
  EXPECT_EQ(message_of(folder(), [&] { static_cast<void>(timeline_rank(1, scenario())); }),
            "--timeline: no rank 1 of 1 (expected 0 to 0; see --ranks)");
}

}  // namespace
}  // namespace ringcast
