#include "app/predict/sensitivity.hpp"
#include "app/report/comparison.hpp"
#include "engine/schedule/bus_bandwidth.hpp"
#include "engine/training/training_cost.hpp"
#include "tests/app/predict/ten_layers.hpp"

namespace ringcast {
namespace {

// One GPU takes 10 x 6 ms. A layer's 4 MB take 8 GPUs 14 x (0.5 MB / (10 GB/s) + 2 us) = 0.728 ms,
// which the next layer's 4 ms hide but for the last.
TEST_F(PredictTrainingTest, ExposesTheLastBucketOnAFastNetwork) {
  const std::vector<Row> rows = training_rows(training_on(8, {1, 8}));

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].time.count(), 0.06, 1e-9);
  EXPECT_NEAR(rows[0].efficiency(), 1, 1e-9);
  EXPECT_FALSE(rows[1].iteration->broadcast);
  EXPECT_NEAR(rows[1].time.count(), 0.060728, 1e-8);
  EXPECT_NEAR(rows[1].iteration->compute.count(), 0.06, 1e-9);
  EXPECT_NEAR(rows[1].iteration->allreduce.count(), 0.00728, 1e-8);
  EXPECT_NEAR(rows[1].exposed().count(), 0.000728, 1e-8);
  EXPECT_NEAR(rows[1].speedup(), 8 * 0.06 / 0.060728, 1e-5);
  EXPECT_NEAR(rows[1].samples_per_s(), 8 / 0.060728, 1e-3);
}

// Without overlap an iteration of 8 GPUs is 60 ms of computation and ten all-reduces of 14 x (50 us
// + 2 us): 67.28 ms, of which the bandwidth's part is 7 ms and the latencies' 0.28 ms.
TEST_F(PredictTrainingTest, IsExplainedByItsComputationAndItsCables) {
  Scenario scenario = training_on(8, {8});
  scenario.training->overlaps = {false};
  scenario.training->compute_source = "invented";
  Result result = predict_training(scenario, {});

  add_sensitivity(result, scenario, 0.1, 2, {});

  const std::vector<Sensitivity>& why = result.rows.at(0).sensitivity;
  ASSERT_EQ(why.size(), 3U);
  EXPECT_EQ(why[0].number.name, "training time_per_sample");
  EXPECT_EQ(why[0].number.source, "invented");
  EXPECT_NEAR(why[0].number.value, 0.06, 1e-12);
  EXPECT_NEAR(why[0].when_raised, 6 / 67.28, 1e-6);
  EXPECT_NEAR(why[0].when_lowered, -6 / 67.28, 1e-6);
  EXPECT_EQ(why[1].number.name, "link pcie-3.0-x16 bandwidth");
  EXPECT_NEAR(why[1].when_raised, -(1 - 1 / 1.1) * 7 / 67.28, 1e-6);
  EXPECT_EQ(why[2].number.name, "link pcie-3.0-x16 latency");
  EXPECT_NEAR(why[2].when_lowered, -0.028 / 67.28, 1e-6);
}

// Backward hides all all-reduces except those that are launched with no computation after them:
// with a layer more one more, 0.728 ms. Overhead and optimizer, 2 and 3 ms, add their tenths.
TEST_F(PredictTrainingTest, IsExplainedByLaunchAheadOverheadAndOptimizer) {
  Scenario scenario = training_on(8, {8});
  Training& training = scenario.training.value();
  training.launch_ahead = {5, "guessed"};
  training.pass_overhead = Seconds{0.002};
  training.optimizer = Seconds{0.003};
  Result result = predict_training(scenario, {});
  add_sensitivity(result, scenario, 0.1, 2, {});

  const Row& row = result.rows.at(0);
  const auto of = [&](const std::string& name) {
    const auto found = std::ranges::find(row.sensitivity, name,
                                         [](const Sensitivity& each) { return each.number.name; });
    EXPECT_NE(found, row.sensitivity.end()) << name;
    return found == row.sensitivity.end() ? Sensitivity{} : *found;
  };
  const double iteration = row.time.count();
  EXPECT_EQ(of("training launch_ahead").number.value, 5);
  EXPECT_EQ(of("training launch_ahead").number.source, "guessed");
  EXPECT_NEAR(of("training launch_ahead").when_raised, 0.000728 / iteration, 1e-6);
  EXPECT_NEAR(of("training launch_ahead").when_lowered, -0.000728 / iteration, 1e-6);
  EXPECT_NEAR(of("training iteration_overhead").when_raised, 0.0002 / iteration, 1e-6);
  EXPECT_NEAR(of("training optimizer").when_lowered, -0.0003 / iteration, 1e-6);
}

// The median of the repetitions is no single one of them: the first is held against itself.
TEST_F(PredictTrainingTest, WithJitterIsExplainedByTheFirstRepetition) {
  Scenario scenario = training_on(4, {4});
  scenario.training->overlaps = {false};
  scenario.training->noise = {.sigma = 0.2, .seed = 3};
  scenario.training->repetitions = 5;
  Result result = predict_training(scenario, {});

  add_sensitivity(result, scenario, 0.1, 2, {});

  const Sensitivity& compute = result.rows.at(0).sensitivity.at(0);
  EXPECT_EQ(compute.number.name, "training time_per_sample");
  // 60 ms of mean computation, and 10 x 6 x (100 us + 2 us) of all-reduces.
  EXPECT_NEAR(compute.when_raised, -compute.when_lowered, 1e-9);
  EXPECT_GT(compute.when_raised, 0.08);
  EXPECT_LT(compute.when_raised, 0.1);
}

TEST_F(PredictTrainingTest, StrongScalingSharesTheBatchOut) {
  Scenario scenario = training_on(8, {8});
  scenario.training->batches = {{Scaling::strong, 20}};
  const std::vector<Row> rows = training_rows(scenario);

  // 20 samples on 8 GPUs are 3 on the one that has most; on one GPU they are 20 x 60 ms.
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].cell.training->batch_per_gpu, 3);
  EXPECT_EQ(rows[0].cell.training->global_batch, 20);
  EXPECT_NEAR(rows[0].iteration->compute.count(), 0.18, 1e-9);
  EXPECT_NEAR(rows[0].iteration->one_gpu_samples_per_s, 20 / 1.2, 1e-6);
}

// 4 samples are one for each pass of 4 GPUs, and too few for 8.
TEST_F(PredictTrainingTest, ABatchTooSmallForSomeRanksLeavesOutTheirCells) {
  Scenario scenario = training_on(8, {4, 8});
  scenario.training->batches = {{Scaling::strong, 4}};
  scenario.training->overlaps = {false, true};
  const Result result = predict_training(scenario, {});

  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[0].cell.ranks, 4);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].cell.ranks, 8);
  EXPECT_EQ(result.failures[0].error,
            "training.global_batch: 4 samples for 8 passes (expected one sample at least for each "
            "pass of each GPU)");
}

TEST_F(PredictTrainingTest, JitterGivesABandThatIsTheSameForASeed) {
  Scenario scenario = training_on(4, {4});
  scenario.training->noise = {.sigma = 0.1, .seed = 3};
  scenario.training->repetitions = 10;
  const Row row = training_rows(scenario).at(0);
  const Row again = training_rows(scenario).at(0);
  scenario.training->noise.seed = 4;
  const Row other = training_rows(scenario).at(0);

  EXPECT_EQ(row.iteration->repetitions, 10);
  EXPECT_LT(row.time_min, row.time);
  EXPECT_LT(row.time, row.time_max);
  EXPECT_EQ(row.time, again.time);
  EXPECT_EQ(row.time_max, again.time_max);
  EXPECT_NE(row.time, other.time);
  EXPECT_LT(row.efficiency(), 1);
}

TEST_F(PredictTrainingTest, ChecksTheSumsOfAllGradients) {
  Scenario scenario = training_on(3, {3});
  scenario.training = alike_layers("two layers", 2, 100'000);

  EXPECT_TRUE(training_rows(scenario, {.check = true}).at(0).verified);
}

// The check brings all weights once more, after what the row is about.
TEST_F(PredictTrainingTest, ACheckChangesNothingInTheRow) {
  Scenario scenario = training_on(8, {8});
  scenario.training = alike_layers("ten small layers", 10, 100'000);
  scenario.training->weights_before_forward = true;

  const Row row = training_rows(scenario).at(0);
  const Row checked = training_rows(scenario, {.check = true}).at(0);

  EXPECT_TRUE(checked.verified);
  EXPECT_EQ(checked.time, row.time);
  ASSERT_EQ(checked.busiest.size(), row.busiest.size());
  for (std::size_t i = 0; i < row.busiest.size(); ++i) {
    EXPECT_EQ(checked.busiest[i].carried, row.busiest[i].carried);
    EXPECT_NEAR(checked.busiest[i].utilisation, row.busiest[i].utilisation, 1e-12);
  }
}

TEST_F(PredictTrainingTest, TheTimelineEndsWithTheIteration) {
  Scenario scenario = training_on(4, {4});
  scenario.training->optimizer = Seconds{0.003};
  const Row row = training_rows(scenario, {.timeline = Rank{2}}).at(0);

  // Ten layers forward and backward, the optimizer, ten buckets.
  ASSERT_EQ(row.iteration->timeline.size(), 31U);
  EXPECT_EQ(row.iteration->timeline[0].name, "forward layer");
  EXPECT_EQ(row.iteration->timeline[20].name, "optimizer");
  EXPECT_NEAR(row.iteration->timeline[20].time.end.count(), row.time.count(), 1e-9);
  EXPECT_TRUE(row.iteration->timeline[21].communicates);
  // The first bucket begins when the last layer's backward ends.
  EXPECT_NEAR(row.iteration->timeline[21].time.begin.count(), 0.024, 1e-9);
}

TEST_F(PredictTrainingTest, IsComparedByBucketsThatHaveNoSize) {
  Scenario scenario = training_on(2, {2});
  scenario.training->buckets = {{Bucketing::per_layer}, {Bucketing::whole}};
  const Result result = predict_training(scenario, {});
  NamedResult measured{"measured", result};
  measured.result.provenance.simulated = false;
  const Comparison comparison = compare({"predicted", result}, measured);

  EXPECT_NE(to_table(comparison).find("per-layer"), std::string::npos) << to_table(comparison);
  EXPECT_NE(to_json(comparison).find("\"bucket_size_bytes\": null"), std::string::npos);
}

TEST_F(PredictTrainingTest, RowsNameTheirStragglers) {
  Scenario scenario = training_on(4, {4});
  scenario.training->noise.stragglers = {{Rank{1}, 1.5}, {Rank{3}, 1.5}};

  const Result predicted = predict_training(scenario, {});
  const Result read = result_from_json(to_json(predicted), "r.json");

  EXPECT_NE(to_table(read).find("# stragglers: ranks 1, 3 take 1.5 times as long\n"),
            std::string::npos)
      << to_table(read);
}

TEST_F(PredictTrainingTest, RowsSurviveJsonAndCompareByTheirIterations) {
  Result predicted = predict_training(training_on(4, {2, 4}), {.timeline = Rank{1}});
  const Result read = result_from_json(to_json(predicted), "r.json");

  EXPECT_EQ(to_json(read), to_json(predicted));
  EXPECT_NE(to_csv(predicted).find("iteration_s"), std::string::npos);
  EXPECT_NE(to_table(predicted).find("speed-up"), std::string::npos);

  Result measured = predicted;
  measured.provenance.simulated = false;
  measured.rows[1].time *= 2;
  measured.rows[0].cell.training->overlap = false;
  const Comparison comparison = compare({"p", predicted}, {"m", measured});
  ASSERT_EQ(comparison.cells.size(), 1U);
  EXPECT_NEAR(comparison.cells[0].error(), -0.5, 1e-12);
  ASSERT_EQ(comparison.only_predicted.size(), 1U);
  EXPECT_NE(comparison.only_predicted[0].find("overlap on"), std::string::npos);
  ASSERT_EQ(comparison.only_measured.size(), 1U);
  EXPECT_NE(comparison.only_measured[0].find("overlap off"), std::string::npos);
  EXPECT_EQ(to_table(comparison).find("busbw"), std::string::npos);
}

// Both rings send 12 messages of a rank in an all-reduce, 84 us of overheads for the one processor
// of the rank; by themselves the 6 steps of either take 9 us and some nanoseconds each.
TEST_F(PredictTrainingTest, AnAllReduceTakesTheOverheadsOfAllMessagesOfARank) {
  Scenario scenario = training_on(4, {4});
  scenario.training = alike_layers("tiny layers", 2, 64);
  scenario.transport.message_overhead = 7_us;
  scenario.channels = {2};
  for (const bool halves : {false, true}) {
    scenario.training->weights_before_forward = halves;
    for (const Fidelity fidelity : {Fidelity::cheapest, Fidelity::simgrid}) {
      const Row row = training_rows(scenario, {.fidelity = fidelity}).at(0);

      EXPECT_NEAR(row.iteration->allreduce.count(), 2 * 84e-6, 1e-9) << row.found_by;
    }
  }
  scenario.channels = {1};
  scenario.algorithms = {"two-way-ring"};
  scenario.training->weights_before_forward = false;
  for (const Fidelity fidelity : {Fidelity::cheapest, Fidelity::simgrid}) {
    const Row row = training_rows(scenario, {.fidelity = fidelity}).at(0);

    EXPECT_NEAR(row.iteration->allreduce.count(), 2 * 84e-6, 1e-9) << row.found_by;
  }
}

// The same overheads with chunks of 8 and 9 elements: of both lengths an all-reduce takes as long.
TEST_F(PredictTrainingTest, CountsTheBytesOfUnevenChunks) {
  Scenario scenario = training_on(4, {4});
  scenario.training = alike_layers("tiny layers", 2, 66);
  scenario.transport.message_overhead = 7_us;
  scenario.channels = {2};
  const Row cheapest = training_rows(scenario).at(0);
  const Row simulated = training_rows(scenario, {.fidelity = Fidelity::simgrid}).at(0);

  ASSERT_FALSE(simulated.busiest.empty());
  for (const LinkLoad& load : simulated.busiest) {
    const auto found = std::ranges::find(cheapest.busiest, load.name, &LinkLoad::name);
    ASSERT_NE(found, cheapest.busiest.end()) << load.name;
    EXPECT_EQ(found->carried, load.carried) << load.name;
  }
}

// Four flows share each network cable, and segments compete: in 6 ms of computation and ten
// all-reduces, what comes first decides. With jitter, the repetitions show the range.
TEST_F(PredictTrainingTest, HasARangeWhereSegmentsShareLinks) {
  Scenario scenario = training_on(8, {7});
  scenario.cluster = two_nodes();
  scenario.ring_orders = {{"interleaved", {}}};
  scenario.segment_size = 64_KiB;
  scenario.transport.message_overhead = 5_us;
  scenario.transport.reduce_rate = 50_GBps;
  scenario.training->overlaps = {false};
  set_time_per_sample(*scenario.training, Seconds{0.006});
  const Row row = training_rows(scenario).at(0);
  scenario.training->noise.sigma = 0.01;
  scenario.training->repetitions = 2;
  const Row jittered = training_rows(scenario).at(0);

  EXPECT_GT((row.time_max - row.time_min) / row.time, 0.001);
  EXPECT_LE(row.time_min, row.time);
  EXPECT_GE(row.time_max, row.time);
  EXPECT_TRUE(row.range_reason.starts_with("messages share links, and delays")) << row.range_reason;
  EXPECT_EQ(jittered.range_reason, "");
}

}  // namespace
}  // namespace ringcast
