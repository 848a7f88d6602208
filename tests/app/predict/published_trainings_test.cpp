// Published measurements of training that say more than a rate; the errors of all are in
// tests/scenarios/published_trainings_test.py.
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/predict/predict_training.hpp"

namespace ringcast {
namespace {

Result result_of(const std::string& file) {
  return predict_training(
      read_scenario(std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios" / (file + ".yaml")),
      {});
}

std::vector<Row> predicted(const std::string& file) {
  const Result result = result_of(file);
  EXPECT_TRUE(result.failures.empty()) << file;
  return result.rows;
}

enum class Overlap { off, on };

const Row& row_of(const std::vector<Row>& rows, int ranks, Overlap overlap) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) {
    return row.cell.ranks == ranks && row.cell.algorithm == "ring" &&
           row.cell.training->overlap == (overlap == Overlap::on) &&
           row.cell.training->scaling == Scaling::weak;
  });
  if (found == rows.end()) {
    throw std::out_of_range{"no such row"};
  }
  return *found;
}

TEST(TensorFlow2017, EveryOutputSaysWhatLaunchAheadWasFittedOn) {
  const Result result = result_of("training/tf-dgx1-vgg16");
  const std::string json = to_json(result);

  EXPECT_NE(to_table(result).find(
                "launch_ahead: an all-reduce waits for 9 layers more, fitted on VGG-16"),
            std::string::npos);
  EXPECT_NE(json.find("\"launch_ahead\": 9"), std::string::npos);
  EXPECT_EQ(to_json(result_from_json(json, "r.json")), json);
}

// 31 is what the compute time was fitted to: c = 31 x 0.401 s / 9. Eight GPUs of one node then have
// 8 c / (c + 0.210 s + 9 ms of sums) = 6.9.
TEST(Baidu2017, FortyGpusAre31TimesAsFastAndANodeSevenTimes) {
  const std::vector<Row> rows = predicted("lm-300m-baidu");

  EXPECT_NEAR(row_of(rows, 40, Overlap::off).speedup(), 31, 0.1);
  EXPECT_NEAR(row_of(rows, 8, Overlap::off).speedup(), 6.9, 0.1);
  EXPECT_EQ(row_of(rows, 40, Overlap::off).cell.training->fitted_on,
            "the speed-up of 31 at 40 GPUs, without overlap");
}

// "Linear" says the paper. 64 utterances x (3 x 47.8 - 2.2) GFLOP / (2.99 TFLOP/s) = 3.02 s beside
// all-reduces of 0.127 s on the cables and some 0.02 s of overheads: 95 % without overlap, nearly
// all with it.
TEST(DeepSpeech2, ScalesLinearlyTo128Gpus) {
  const std::vector<Row> rows = predicted("deep-speech-2-scaling");

  EXPECT_NEAR(row_of(rows, 128, Overlap::off).efficiency(), 0.95, 0.01);
  EXPECT_GE(row_of(rows, 128, Overlap::on).efficiency(), 0.98);
}

}  // namespace
}  // namespace ringcast
