// Bands of trainings on a star whose links have no class, so that their spread is 8 %. How many
// published rows they contain: tests/scenarios/published_trainings_test.py.
#include "app/predict/bands.hpp"
#include "tests/app/predict/ten_layers.hpp"

namespace ringcast {
namespace {

class TrainingBands : public PredictTrainingTest {
 protected:
  static std::vector<Row> rows_with_bands(const Scenario& scenario) {
    Result result = predict_training(scenario, {});
    add_training_bands(result, scenario, {});
    EXPECT_TRUE(result.failures.empty());
    return std::move(result.rows);
  }
};

// 60 ms of computation, up to 75. Of ten all-reduces the last is exposed: 14 x (50 us + 2 us). They
// take 14 x (0.92 x 50 us + 0.75 x 2 us) = 0.665 ms to 14 x (1.08 x 50 us + 2 x 2 us) = 0.812 ms.
TEST_F(TrainingBands, ContainTheExposedBucketOnly) {
  const std::vector<Row> rows = rows_with_bands(training_on(8, {1, 8}));

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].band.empty());  // the measured GPU itself
  const Band& band = rows[1].band.at(0);
  EXPECT_NEAR(band.low.count(), 0.060665, 1e-8);
  EXPECT_NEAR(band.high.count(), 0.075812, 1e-8);
  EXPECT_EQ(band.widest,
            "the computation of several GPUs takes up to 25 % longer than that of one");
}

// Peers with 5 GB/s one way, or 10 both ways together: 14 x (0.92 x 100 us + 0.75 x 2 us) = 1.309
// ms to 14 x (1.08 x 100 us + 2 x 2 us) = 1.568 ms.
TEST_F(TrainingBands, ContainTheSpreadOfWhatLimitsACable) {
  for (BytesPerSecond CableSpec::*const limit :
       {&CableSpec::peer_bandwidth, &CableSpec::both_ways}) {
    Scenario scenario = training_on(8, {8});
    RootComplexSpec& root = scenario.cluster.node_types[0].sockets[0].root_complexes[0];
    root.devices[0].cable.*limit = limit == &CableSpec::both_ways ? 10_GBps : 5_GBps;
    const Band band = rows_with_bands(scenario).at(0).band.at(0);

    EXPECT_NEAR(band.low.count(), 0.061309, 1e-8);
    EXPECT_NEAR(band.high.count(), 0.076568, 1e-8);
  }
}

// All ten are exposed: 60 ms + 6.65 ms to 75 ms + 8.12 ms.
TEST_F(TrainingBands, ContainAllBucketsWithoutOverlap) {
  Scenario scenario = training_on(8, {8});
  scenario.training->overlaps = {false};
  const Band band = rows_with_bands(scenario).at(0).band.at(0);

  EXPECT_NEAR(band.low.count(), 0.06665, 1e-8);
  EXPECT_NEAR(band.high.count(), 0.08312, 1e-8);
}

// Layers of 40 million: 10 x 14 x (2 ms + 2 us) = 280.28 ms, up to 10 x 14 x (2.16 ms + 4 us) =
// 302.96 ms; 22.68 ms more, while the computation takes 15 ms more.
TEST_F(TrainingBands, SayIfTheCommunicationWidensThemMost) {
  Scenario scenario = training_on(8, {8});
  scenario.training = alike_layers("large layers", 10, 40'000'000);
  scenario.training->overlaps = {false};
  const Band band = rows_with_bands(scenario).at(0).band.at(0);

  EXPECT_NEAR(band.high.count(), 0.37796, 1e-7);
  EXPECT_EQ(band.widest, "the communication that is not hidden");
}

// 60.728 ms, 60.665 to 75.812; 8 x 60 ms / those / 8.
TEST_F(TrainingBands, StandBesideTimeAndEfficiency) {
  Scenario scenario = training_on(8, {8});
  scenario.training->samples = "images";
  const std::string table = training_table(rows_with_bands(scenario));

  EXPECT_NE(table.find(" 60.728 (60.665-75.812) "), std::string::npos) << table;
  EXPECT_NE(table.find(" 98.8 % (79-99 %)"), std::string::npos) << table;
  EXPECT_NE(table.find(", 1 image a GPU, 10 buckets ("), std::string::npos) << table;
  scenario.training->batches = {{Scaling::weak, 2}};
  EXPECT_NE(training_table(training_rows(scenario)).find(", 2 images a GPU, "), std::string::npos);
}

}  // namespace
}  // namespace ringcast
