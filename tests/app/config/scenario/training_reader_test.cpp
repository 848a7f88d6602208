#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// Right as it stands; each case makes one slip in it.
const std::string right_training = R"(cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [2, 8]
algorithm: ring
training:
  model: model.yaml
  gpu: {name: fast, source: invented, batch: 10, throughput: 100}
  batch_per_gpu: 32
  global_batch: 80
  bucket_size: [4 MiB, 64 MiB]
  overlap: both
  launch_ahead: {value: 2, source: invented}
  weights: before-forward
  optimizer: 4 ms
  jitter: 5%
  stragglers: {ranks: [3], slowdown: 1.5}
)";

const std::string model = R"(name: small
source: invented
parameters: 70
gradient_type: float16
batch: 10
layers:
  - {name: a, parameters: 10, flops: 1e6, forward: 1 ms, backward: 3 ms}
  - {name: b, count: 3, parameters: 20, flops: 2e6, backward_flops: 3e6, forward: 2 ms, backward: 4 ms}
)";

class TrainingReaderTest : public ::testing::Test {
 protected:
  TrainingReaderTest() {
    folder_.write("cluster.yaml", eight_gpus);
    folder_.write("model.yaml", model);
  }
  [[nodiscard]] Scenario read(const std::string& text, const ScenarioOverrides& overrides = {}) {
    folder_.write("scenario.yaml", text);
    return read_scenario(folder_ / "scenario.yaml", overrides);
  }
  [[nodiscard]] std::string error_of(const std::string& text,
                                     const ScenarioOverrides& overrides = {}) {
    return message_of(folder_, [&] { return read(text, overrides); });
  }
  [[nodiscard]] std::string error_of_model(const Slip& slip) {
    folder_.write("model.yaml", right_with(model, slip));
    return error_of(right_training);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TrainingReaderTest, ReadsWhatTheFileSays) {
  const Scenario scenario = read(right_training);
  const Training& training = scenario.training.value();

  EXPECT_TRUE(scenario.sizes.empty());
  EXPECT_EQ(scenario.reduction.type, ElementType::float16);  // the model's
  EXPECT_EQ(training.model, "small");
  EXPECT_EQ(training.parameters, 70U);
  ASSERT_EQ(training.batches.size(), 2U);
  EXPECT_EQ(training.batches[0].scaling, Scaling::weak);
  EXPECT_EQ(training.batches[1].samples, 80);
  ASSERT_EQ(training.buckets.size(), 2U);
  EXPECT_EQ(training.buckets[1].size, 64_MiB);
  EXPECT_EQ(training.overlaps, (std::vector<bool>{true, false}));
  EXPECT_EQ(training.launch_ahead.layers, 2);
  EXPECT_EQ(training.launch_ahead.source, "invented");
  EXPECT_TRUE(training.weights_before_forward);
  EXPECT_EQ(training.noise.sigma, 0.05);
  EXPECT_EQ(training.repetitions, 20);
  ASSERT_EQ(training.layers.size(), 4U);
  EXPECT_EQ(training.layers[0].name, "a");
  EXPECT_EQ(training.layers[3].name, "b 3");
}

// 10 samples at 100 a second take 0.1 s, 4 ms of it the optimizer's. The 96 ms are shared out by
// 1e6 + 2e6 + 3 x (2e6 + 3e6) = 18e6 operations of a sample: 9.6 ms / 18e6 each.
TEST_F(TrainingReaderTest, SharesAMeasuredIterationOutByOperations) {
  const std::vector<TrainedLayer> layers = read(right_training).training->layers;
  constexpr double s_per_operation = 9.6e-3 / 18e6;

  EXPECT_NEAR(layers[0].per_sample.forward.count(), 1e6 * s_per_operation, 1e-12);
  EXPECT_NEAR(layers[0].per_sample.backward.count(), 2e6 * s_per_operation, 1e-12);
  EXPECT_NEAR(layers[2].per_sample.backward.count(), 3e6 * s_per_operation, 1e-12);
}

TEST_F(TrainingReaderTest, ComputesFromAPeakAndWhatIsAchieved) {
  for (const char* const peak :
       {"peak: 10 TFLOP/s, achieved: 40%", "peak: 10 TFLOPS, achieved: 40%"}) {
    const Slip slip{"", "batch: 10, throughput: 100", peak, ""};
    const TrainedLayer layer = read(right_with(right_training, slip)).training->layers.front();

    EXPECT_NEAR(layer.per_sample.forward.count(), 1e6 / 4e12, 1e-18) << peak;
  }
}

TEST_F(TrainingReaderTest, TakesTheLayersOwnTimesWithoutAGpu) {
  const Slip slip{"", "  gpu: {name: fast, source: invented, batch: 10, throughput: 100}\n", "",
                  ""};
  const std::vector<TrainedLayer> layers = read(right_with(right_training, slip)).training->layers;

  EXPECT_NEAR(layers[0].per_sample.backward.count(), 0.3e-3, 1e-12);
  EXPECT_NEAR(layers[1].per_sample.forward.count(), 0.2e-3, 1e-12);
}

TEST_F(TrainingReaderTest, TakesTheTimesOfAGpuFileByName) {
  const Slip slip{"", "throughput: 100",
                  "layers: [{name: a, forward: 1 ms, backward: 2 ms}, {name: b, forward: 3 ms, "
                  "backward: 5 ms}]",
                  ""};
  const std::vector<TrainedLayer> layers = read(right_with(right_training, slip)).training->layers;

  EXPECT_NEAR(layers[3].per_sample.backward.count(), 0.5e-3, 1e-12);
}

// Horovod's fusion buffer is 64 MiB; PyTorch's DistributedDataParallel takes 25 MiB.
TEST_F(TrainingReaderTest, TakesTheBucketSizeOfEachFramework) {
  const auto size_with = [&](std::string_view bucketing) {
    const Slip slip{"", "bucket_size: [4 MiB, 64 MiB]", bucketing, ""};
    return read(right_with(right_training, slip)).training->buckets.at(0).size;
  };
  EXPECT_EQ(size_with("bucketing: fusion"), 64_MiB);
  EXPECT_EQ(size_with("bucketing: ddp"), 25_MiB);
}

TEST_F(TrainingReaderTest, OptionsReplaceBucketsAndOverlap) {
  const Training training =
      read(right_training, {.bucket_size = "1MiB", .overlap = "off"}).training.value();

  ASSERT_EQ(training.buckets.size(), 1U);
  EXPECT_EQ(training.buckets.front().size, 1_MiB);
  EXPECT_EQ(training.overlaps, std::vector<bool>{false});
}

TEST_F(TrainingReaderTest, OptionsOfTrainingNeedATraining) {
  const std::string plain =
      right_training.substr(0, right_training.find("training:")) + "sizes: 1 MiB\n";

  EXPECT_EQ(error_of(plain, {.overlap = "off"}),
            "--overlap: the scenario trains nothing (expected a training part)");
}

const Slip model_slips[] = {
    {"WrongSum", "parameters: 70", "parameters: 71",
     "model.yaml:3:13: parameters: 71 are not the sum of the layers' (expected 70, or other "
     "layers)"},
    {"NoTimeAndNoFlops", "{name: a, parameters: 10, flops: 1e6, forward: 1 ms, backward: 3 ms}",
     "{name: a, parameters: 10}",
     "model.yaml:7:5: layers[0]: \"a\" has no flops, from which \"fast\" computes its time "
     "(expected flops, or a gpu file with the times of all layers)"},
    {"TimesButNoFlops", "flops: 1e6, ", "",
     "model.yaml:7:5: layers[0]: \"a\" has times but no flops, from which \"fast\" computes its "
     "time (expected flops, or no gpu under training, if all layers have times)"},
    {"TooManyLayers", "count: 3", "count: 10000",
     "model.yaml:3:13: parameters: 10001 or more layers (expected at most 10000)"},
    {"RepeatedLayer", "name: b", "name: a",
     "model.yaml:8:5: layers[1]: \"a\" is repeated (expected each name once, and a count for "
     "layers that are alike)"},
    {"TimesOfNoBatch", "batch: 10\n", "",
     "model.yaml:1:1: batch: missing (expected the samples of the pass that the layers' times are "
     "of)"},
    {"NegativeParameters", "parameters: 20", "parameters: -20",
     "model.yaml:8:37: layers[1].parameters: -20 is out of range (expected a whole number from 0 "
     "to 10000000000000)"},
};

class ModelSlips : public TrainingReaderTest, public ::testing::WithParamInterface<Slip> {};
TEST_P(ModelSlips, IsRefused) {
  EXPECT_EQ(error_of_model(GetParam()), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(Model, ModelSlips, ::testing::ValuesIn(model_slips), name_of_slip);

TEST_F(TrainingReaderTest, NeedsAGpuForLayersWithFlopsAlone) {
  const Slip no_times{"", ", forward: 1 ms, backward: 3 ms", ""};
  const Slip no_gpu{"", "  gpu: {name: fast, source: invented, batch: 10, throughput: 100}\n", ""};
  EXPECT_EQ(error_of_model(no_times), "nothing was refused");
  EXPECT_EQ(error_of(right_with(right_training, no_gpu)),
            "model.yaml:7:5: layers[0]: \"a\" has flops but no time, and training has no gpu to "
            "compute it (expected forward and backward, or a gpu file in the scenario's training)");
}

const Slip training_slips[] = {
    {"ZeroBatch", "batch_per_gpu: 32", "batch_per_gpu: 0",
     "scenario.yaml:8:18: training.batch_per_gpu: 0 is out of range (expected a whole number from "
     "1 to 1000000)"},
    {"ABatchOfMoreSamplesThanIntegersCount", "batch_per_gpu: 32", "batch_per_gpu: 1000000000",
     "scenario.yaml:8:18: training.batch_per_gpu: 1000000000 is out of range (expected a whole "
     "number from 1 to 1000000)"},
    {"ABatchWithoutASampleForEach", "global_batch: 80", "global_batch: 1",
     "scenario.yaml:9:17: training.global_batch: 1 samples for 2 passes (expected one sample at "
     "least for each pass of each GPU)"},
    {"NoBatch", "  batch_per_gpu: 32\n  global_batch: 80\n", "",
     "scenario.yaml:6:3: training.batch_per_gpu: missing (expected a number of samples; or "
     "global_batch)"},
    {"BucketBelowAnElement", "4 MiB", "1 B",
     "scenario.yaml:10:17: training.bucket_size[0]: 1 B is less than one element (expected at "
     "least 2 bytes, the size of a float16)"},
    {"LaunchedBehind", "{value: 2, source: invented}", "-1",
     "scenario.yaml:12:17: training.launch_ahead: -1 is out of range (expected a whole number from "
     "0 to 100000)"},
    {"LaunchAheadWithoutASource", "{value: 2, source: invented}", "{value: 2}",
     "scenario.yaml:12:17: training.launch_ahead.source: missing (expected where the value comes "
     "from)"},
    {"WeightsAtNoTime", "before-forward", "never",
     "scenario.yaml:13:12: training.weights: unknown weights \"never\" (expected after-backward or "
     "before-forward)"},
    {"WeightsOfAnAlgorithmWithoutHalves", "algorithm: ring", "algorithm: [ring, tree]",
     "scenario.yaml:13:12: training.weights: tree has no halves, of which one could come before "
     "forward (expected algorithm ring or single-reducer or parameter-server, or after-backward)"},
    {"NegativeJitter", "jitter: 5%", "jitter: -5%",
     "scenario.yaml:15:11: training.jitter: -5% is out of range (expected 0% to 100%)"},
    {"CompressionThatExpands", "jitter: 5%", "compression: 0.5",
     "scenario.yaml:15:16: training.compression: 0.5 is out of range (expected a number from 1 to "
     "10000)"},
    {"FasterStraggler", "slowdown: 1.5", "slowdown: 0.5",
     "scenario.yaml:16:38: training.stragglers.slowdown: 0.5 is out of range (expected a number "
     "from 1 to 1000)"},
    {"StragglerThatIsNoRank", "ranks: [3]", "ranks: [8]",
     "scenario.yaml:16:24: training.stragglers.ranks[0]: rank 8 of 8 ranks (expected 0 to 7)"},
    {"StragglerOfALargerJob", "ranks: [3]", "ranks: [131071]",
     "scenario.yaml:16:24: training.stragglers.ranks[0]: rank 131071 of 8 ranks (expected 0 to 7)"},
    {"RateOfNoProcessor", "throughput: 100", "peak: 4.9e-324 TFLOP/s, achieved: 5%",
     "scenario.yaml:7:56: training.gpu.peak: 4.9e-324 TFLOP/s is out of range (expected 0.001 "
     "GFLOP/s to 1e6 PFLOP/s, e.g. 10.6 TFLOP/s)"},
    {"SizesBesideTraining", "algorithm: ring\n", "algorithm: ring\nsizes: 1 MiB\n",
     "scenario.yaml:5:8: sizes: beside training (expected sizes or training, not both)"},
    {"AnotherModelsGpu", "name: fast,", "name: fast, model: large,",
     "scenario.yaml:7:8: training.gpu: \"fast\" is for the model \"large\" (expected a file for "
     "\"small\", or for any)"},
    {"TwoWaysToCompute", "throughput: 100", "throughput: 100, peak: 1 TFLOP/s, achieved: 5%",
     "scenario.yaml:7:73: training.gpu.peak: given beside throughput (expected one of throughput, "
     "iteration_time, peak or layers)"},
    {"NoTimeLeft", "throughput: 100", "throughput: 10000",
     "scenario.yaml:7:8: training.gpu: 1 ms of an iteration leave nothing for the layers (expected "
     "more than the 4 ms of iteration_overhead and optimizer)"},
    {"FirstSizeOfFusedBuckets", "bucket_size: [", "first_bucket_size: 1 MiB\n  bucket_size: [",
     "scenario.yaml:10:22: training.first_bucket_size: nothing to buckets that are fusion "
     "(expected "
     "bucketing: ddp)"},
    {"SizeOfWholeBuckets", "bucket_size: [", "bucketing: whole\n  bucket_size: [",
     "scenario.yaml:11:16: training.bucket_size: nothing to buckets that are whole (expected "
     "bucketing: fusion or ddp)"},
    {"MaximumOfGradients", "algorithm: ring\n", "algorithm: ring\noperation: max\n",
     "scenario.yaml:5:12: operation: gradients with max (expected sum or avg)"},
};

class TrainingSlips : public TrainingReaderTest, public ::testing::WithParamInterface<Slip> {};
TEST_P(TrainingSlips, IsRefused) {
  EXPECT_EQ(error_of(right_with(right_training, GetParam())), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(Training, TrainingSlips, ::testing::ValuesIn(training_slips),
                         name_of_slip);

}  // namespace
}  // namespace ringcast
