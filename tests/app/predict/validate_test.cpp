#include "app/predict/validate.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"
#include "tests/app/predict/four_gpus.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// Four GPUs on cables of 10 GB/s and 1 us, two of which a hop crosses, and software without costs:
// a ring takes 2(n-1) (2 us + S / (n 10 GB/s)).
//   2 ranks, 1 MB:  2 x (2 us + 50 us)   = 104 us, 4 % above 100 us
//   4 ranks, 4 MB:  6 x (2 us + 100 us)  = 612 us, 10 % below 680 us
//   2 ranks, 2 MB:  2 x (2 us + 100 us)  = 204 us, as fitted
//   2 ranks, 8 kB:  2 x (2 us + 0.4 us)  = 4.8 us, 40 % below 8 us, but not judged
//   2 ranks, 1 MB with 10 us per message:  2 x (2 us + 10 us + 50 us) = 124 us
const std::string star_set =
    "name: star\nsource: by hand\nnote: invented\n" + four_gpus +
    R"(transport: {name: ideal, source: by definition, message_overhead: 0 us}
transports:
  slow: {name: slow software, source: invented, message_overhead: 10 us}
rows:
  - {ranks: 2, size: 1 MB, time: 100 us}
  - {ranks: 4, size: 4 MB, time: 680 us}
  - {ranks: 2, size: 2 MB, time: 204 us}
  - {ranks: 2, size: 8 kB, time: 8 us, judged: false, why: too small}
  - {ranks: 2, size: 1 MB, time: 124 us, transport: slow}
fit_on:
  numbers: [{name: link pcie bandwidth}]
  rows: [[2, 2 MB]]
)";

class ValidateTest : public ::testing::Test {
 protected:
  ValidateTest() {
    folder_.write("star.yaml", star_set);
    folder_.write("other.yaml", right_with(star_set, {"", "name: star", "name: other"}));
  }

  [[nodiscard]] Validation validated(const std::vector<std::string>& names = {"star.yaml"}) const {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names)
      files.push_back(folder_ / name);
    return validate(read_published_sets(files), {.jobs = 2});
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(ValidateTest, PredictsEveryRowAsByHand) {
  const Validation validation = validated();

  ASSERT_TRUE(validation.failures.empty());
  ASSERT_EQ(validation.sets.size(), 1U);
  const std::vector<ValidatedRow>& rows = validation.sets[0].rows;
  ASSERT_EQ(rows.size(), 5U);
  const double expected_us[] = {104, 612, 204, 4.8, 124};
  const double expected_error[] = {0.04, -0.1, 0, -0.4, 0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i].predicted.count() / 1e-6, expected_us[i], 1e-6 * expected_us[i]) << i;
    EXPECT_NEAR(relative_error(rows[i]), expected_error[i], 1e-6) << i;
  }
  EXPECT_EQ(rows[0].transport, "ideal");
  EXPECT_EQ(rows[4].transport, "slow software");
}

// Judged: 4 % and -10 %; apart, the slow software: 0.
TEST_F(ValidateTest, SummarisesTheJudgedRowsOnly) {
  const ErrorSummary summary = summary_of(validated().sets);

  EXPECT_EQ(summary.rows, 5U);
  EXPECT_EQ(summary.judged, 2U);
  EXPECT_EQ(summary.fitted, 1U);
  EXPECT_NEAR(summary.median_of_small.value(), 0.14 / 2, 1e-6);
  EXPECT_FALSE(summary.mean_of_large);
  ASSERT_TRUE(summary.worst);
  EXPECT_NEAR(relative_error(*summary.worst), -0.1, 1e-6);
  EXPECT_EQ(summary.worst_set, "star");
  EXPECT_EQ(summary_of(validated().sets, is_of_other_transport).judged, 1U);
}

// The row of 4 %, if it is the only large one: small ones are latencies, however wrong.
TEST_F(ValidateTest, FindsTheWorstAmongLargeRows) {
  std::vector<ValidatedSet> sets = validated().sets;
  sets[0].rows[0].published.size = large_from;
  const ErrorSummary summary = summary_of(sets);

  EXPECT_NEAR(relative_error(*summary.worst), 0.04, 1e-6);
  EXPECT_NEAR(summary.mean_of_large.value(), 0.04, 1e-6);
}

TEST_F(ValidateTest, OfNothingHasNoWorstRow) {
  const ErrorSummary summary = summary_of({});

  EXPECT_EQ(summary.rows, 0U);
  EXPECT_FALSE(summary.mean_of_large);
  EXPECT_FALSE(summary.median_of_small);
  EXPECT_FALSE(summary.worst);
}

TEST_F(ValidateTest, ToleranceHoldsTheWorstJudgedRow) {
  const Validation validation = validated();

  EXPECT_NO_THROW(expect_within(0.101, validation));
  try {
    expect_within(0.099, validation);
    ADD_FAILURE() << "10 % is within 9.9 %";
  } catch (const OutsideTolerance& outside) {
    EXPECT_STREQ(outside.what(),
                 "star: 4 ranks, 4 MB: predicted 612 us, measured 680 us: -10.0 % (expected within "
                 "9.9 %)");
  }
}

TEST_F(ValidateTest, ToleranceOfNoJudgedRowIsRefused) {
  EXPECT_THROW(expect_within(0.1, {}), ScenarioError);
}

TEST_F(ValidateTest, SeveralSetsKeepTheirOrder) {
  const Validation validation = validated({"star.yaml", "other.yaml"});

  ASSERT_EQ(validation.sets.size(), 2U);
  EXPECT_EQ(validation.sets[0].published.scenario.name, "star");
  EXPECT_EQ(validation.sets[1].published.scenario.name, "other");
  EXPECT_EQ(validation.provenance.scenario, "published measurements");
  EXPECT_EQ(validation.provenance.cluster, "four GPUs");
  EXPECT_EQ(summary_of(validation.sets).judged, 4U);
}

TEST_F(ValidateTest, TwoSetsOfOneNameAreRefused) {
  const std::string message = message_of(folder(), [&] {
    static_cast<void>(read_published_sets({folder() / "star.yaml", folder() / "star.yaml"}));
  });

  EXPECT_EQ(message, "star.yaml: name: \"star\" is that of star.yaml too (expected another)");
}

TEST_F(ValidateTest, WithoutFilesAllOfTheCatalogueAreRead) {
  folder().write("scenarios/published/b.yaml", star_set);
  folder().write("scenarios/published/a.yaml",
                 right_with(star_set, {"", "name: star", "name: first"}));
  folder().write("scenarios/published/notes.txt", "no set");
  const std::filesystem::path before = std::filesystem::current_path();

  std::filesystem::current_path(folder() / "");
  const std::vector<PublishedSet> sets = read_published_sets({});
  std::filesystem::current_path(before);

  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].scenario.name, "first");
  EXPECT_EQ(sets[1].scenario.name, "star");
}

TEST_F(ValidateTest, WithoutFilesAndCatalogueNothingIsRead) {
  const std::filesystem::path before = std::filesystem::current_path();

  std::filesystem::current_path(folder() / "");
  ::setenv("RINGCAST_DATA_DIR", ".", 1);
  const std::string message =
      message_of(folder(), [] { static_cast<void>(read_published_sets({})); });
  ::unsetenv("RINGCAST_DATA_DIR");
  std::filesystem::current_path(before);

  EXPECT_EQ(message,
            "scenarios/published: no such folder (expected published sets there; run in the "
            "repository's root, or name files)");
}

TEST_F(ValidateTest, JsonHasEveryKey) {
  const auto json = nlohmann::ordered_json::parse(to_json(validated()));

  std::vector<std::string> keys;
  for (const auto& [key, value] : json.at("rows").at(0).items())
    keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"kind", "set", "ranks", "size_bytes", "algorithm",
                                            "transport", "measured_s", "predicted_s", "band_low_s",
                                            "band_high_s", "left_out_s", "relative_error", "fitted",
                                            "judged", "best_algorithm", "best_predicted_s"}));
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_EQ(json.at("provenance").at("scenario"), "star");
  EXPECT_EQ(json.at("rows").at(0).at("kind"), "validation");
  EXPECT_EQ(json.at("rows").at(0).at("measured_s"), 100e-6);
  EXPECT_EQ(json.at("rows").at(2).at("fitted"), true);
  EXPECT_EQ(json.at("rows").at(2).at("judged"), false);
  EXPECT_EQ(json.at("rows").at(3).at("judged"), false);
  const auto& set = json.at("sets").at(0);
  EXPECT_EQ(set.at("set"), "star");
  EXPECT_EQ(set.at("source"), "by hand");
  EXPECT_EQ(set.at("note"), "invented");
  EXPECT_EQ(set.at("judged"), 2);
  EXPECT_EQ(set.at("sha256"), json.at("provenance").at("scenario_sha256"));
  EXPECT_TRUE(json.at("failures").empty());
}

TEST_F(ValidateTest, CsvHasALineForEachRow) {
  const std::string csv = to_csv(validated());

  EXPECT_TRUE(csv.starts_with(
      "kind,set,ranks,size_bytes,algorithm,transport,measured_s,predicted_s,band_low_s,band_high_s,"
      "left_out_s,relative_error,fitted,judged,best_algorithm,best_predicted_s\r\n"
      "validation,star,2,1000000,ring,ideal,0.0001,"))
      << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
}

TEST_F(ValidateTest, ARowThatFailsLeavesTheOthers) {
  std::vector<PublishedSet> sets = read_published_sets({folder() / "star.yaml"});
  sets[0].rows[1].algorithm = "none";

  const Validation validation = validate(sets, {.jobs = 2});

  EXPECT_EQ(validation.sets[0].rows.size(), 4U);
  ASSERT_EQ(validation.failures.size(), 1U);
  EXPECT_EQ(validation.failures[0].set, "star");
  EXPECT_EQ(validation.failures[0].cell.cell.ranks, 4);
}

}  // namespace
}  // namespace ringcast
