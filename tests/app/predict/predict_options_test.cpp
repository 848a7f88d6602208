#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/common/cell_cache.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class PredictOptionsTest : public PredictTest {};

std::string refusal(const Scenario& scenario, const PredictOptions& options) {
  try {
    static_cast<void>(predict(scenario, options));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "nothing was refused";
}

/// The error of a scenario's one cell.
std::string failure_of(const Scenario& scenario, const PredictOptions& options) {
  const Result result = predict(scenario, options);
  return result.failures.size() == 1 ? result.failures[0].error : "none";
}

TEST_F(PredictOptionsTest, ChecksTheSumsOfEveryReduction) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      Scenario scenario = scenario_on(star(3), 3, 1000_B);
      scenario.reduction = {type, operation};

      const Result result = predict(scenario, {.check = true});

      ASSERT_EQ(result.rows.size(), 1U) << name_of(type) << " " << name_of(operation);
      EXPECT_TRUE(result.rows[0].verified);
    }
  }
}

TEST_F(PredictOptionsTest, ChecksSegmentsChannelsAndMixedRings) {
  Scenario scenario = scenario_on(two_nodes(), 7, 10'004_B);
  scenario.channels = {3};
  scenario.segment_size = 64_B;
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}, {"shuffled", {}}};

  const Result result = predict(scenario, {.check = true});

  EXPECT_EQ(result.failures.size(), 0U);
  ASSERT_EQ(result.rows.size(), 3U);
  EXPECT_TRUE(result.rows[0].verified && result.rows[1].verified && result.rows[2].verified);
}

TEST_F(PredictOptionsTest, TakesTheSameTimeWithDataAsWithout) {
  const Scenario scenario = scenario_on(two_nodes(), 8, 1_MiB);

  const Seconds checked = predict(scenario, {.check = true}).rows.at(0).time;
  EXPECT_NEAR(checked / rows_of(scenario).at(0).time, 1, 1e-12);
}

// An outcome of the cache has neither checked data nor written a trace.
TEST_F(PredictOptionsTest, UsesNoCacheWithDataOrATrace) {
  CellCache cache;

  EXPECT_EQ(cache_of({.cache = &cache}), &cache);
  EXPECT_EQ(cache_of({.check = true, .cache = &cache}), nullptr);
  EXPECT_EQ(cache_of({.trace = folder() / "trace.json", .cache = &cache}), nullptr);
}

// 4 ranks send 2 x 3 x 4 messages; two in place of each with segments of half a chunk, which the
// recurrence does not compute, nor messages of other algorithms. Data and traces need
// SimGrid, data the time of 4 x 16 kB besides.
TEST_F(PredictOptionsTest, ExpectsTheWorkOfTheMethod) {
  Scenario scenario = scenario_on(star(4), 4, 16'000_B);
  const auto work = [&](const PredictOptions& options) {
    const Topology topology{build_cluster(scenario.cluster)};
    const Seconds whole = expected_work(plan(scenario, topology).at(0), options);
    return (whole - work_without_messages) / Seconds{1e-9};
  };
  const double simgrid = work_per_message_of(Fidelity::simgrid) / Seconds{1e-9};
  const double fluid = work_per_message_of(Fidelity::cheapest) / Seconds{1e-9};

  EXPECT_GT(simgrid, fluid);
  EXPECT_NEAR(work({}), 24 * 1.2, 1e-6);
  EXPECT_NEAR(work({.fidelity = Fidelity::simgrid}), 24 * simgrid, 1e-6);
  EXPECT_NEAR(work({.trace = "trace.json"}), 24 * simgrid, 1e-6);
  EXPECT_NEAR(work({.check = true}), 24 * simgrid + 4 * 16'000 * 5, 1e-6);
  scenario.segment_size = 2000_B;
  EXPECT_NEAR(work({}), 48 * fluid, 1e-6);
  scenario.segment_size.reset();
  scenario.ranks = {2};
  scenario.algorithms = {"recursive-halving-doubling"};  // 2 x 2 messages, as many as a ring has
  EXPECT_NEAR(work({}), 4 * fluid, 1e-6);
  // 7 doublings: 2 x 7 messages of each of 128 ranks, of which 64 are expected to remain.
  scenario.cluster = star(128);
  scenario.ranks = {128};
  EXPECT_NEAR(work({}), 14 * 64 * fluid, 1e-3);
  EXPECT_NEAR(work({.fidelity = Fidelity::simgrid}), 14 * 128 * simgrid, 1e-3);
}

// 4 ranks send 2 x 3 x 4 chunks of 1.2 GB / 4, each in 75 million segments: 1.8e9 messages.
TEST_F(PredictOptionsTest, RefusesCellsThatWouldTakeDays) {
  Scenario scenario = scenario_on(star(4), 4, Bytes{1'200'000'000});
  scenario.segment_size = 4_B;

  EXPECT_EQ(failure_of(scenario, {}),
            "1.8e+09 messages are too many to simulate (expected at most 1e+08; take larger "
            "segments or fewer ranks)");
}

// 2 ranks: 4 chunks of 2^49 bytes, each in 2^47 segments, which no int can count.
TEST_F(PredictOptionsTest, RefusesMoreSegmentsThanAnIntCounts) {
  Scenario scenario = scenario_on(star(2), 2, Bytes{1ULL << 50U});
  scenario.segment_size = 4_B;

  EXPECT_EQ(failure_of(scenario, {}),
            "5.6e+14 messages are too many to simulate (expected at most 1e+08; take larger "
            "segments or fewer ranks)");
}

TEST_F(PredictOptionsTest, LeavesOutOnlyTheCellThatIsTooLarge) {
  Scenario scenario = scenario_on(star(2), 2, 1_KiB);
  scenario.sizes.push_back(Bytes{1ULL << 50U});
  scenario.segment_size = 4_B;

  const Result result = predict(scenario, {});

  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].cell.size, 1_KiB);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].exit_code, 2);
}

// A few bytes cross a cable in less time than a thousand of SimGrid's shortest: the load of a cable
// may then seem to be more than it can carry, which is no error.
TEST_F(PredictOptionsTest, PredictsMessagesOfAFewBytes) {
  Scenario scenario = scenario_on(star(64), 61, 1000_B);
  scenario.channels = {3};

  const Result result = predict(scenario, {});

  EXPECT_EQ(result.failures.size(), 0U);
}

TEST_F(PredictOptionsTest, RefusesPartsOfElements) {
  const Result result = predict(scenario_on(star(2), 2, 10_B), {});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].exit_code, 1);
  EXPECT_NE(result.failures[0].error.find("10 B is no whole number of float32"), std::string::npos)
      << result.failures[0].error;
}

TEST_F(PredictOptionsTest, RefusesToCheckMoreThanFits) {
  EXPECT_EQ(failure_of(scenario_on(star(4), 4, 2_GiB), {.check = true}),
            "--check: 4 x 2 GiB of data do not fit (expected at most 4 GiB in all; narrow the "
            "sweep with --ranks and --sizes)");
  // 4 x 2^62 is 0 in 64 bits.
  EXPECT_NE(failure_of(scenario_on(star(4), 4, Bytes{1ULL << 62U}), {.check = true}), "none");
}

TEST_F(PredictOptionsTest, RefusesToTraceSeveralCells) {
  Scenario scenario = scenario_on(star(4), 2, 1_KiB);
  scenario.ranks = {2, 3, 4};

  EXPECT_EQ(refusal(scenario, {.trace = folder() / "trace.json"}),
            "--trace: the sweep has 3 cells (expected one; narrow it with --ranks, --sizes, "
            "--algorithm and --ring)");
  EXPECT_FALSE(std::filesystem::exists(folder() / "trace.json"));
}

// 8 ranks x 14 steps x 160,000 / 8 / 4 = 5,000 segments.
TEST_F(PredictOptionsTest, RefusesTracesOfTooManyMessages) {
  Scenario scenario = scenario_on(star(8), 8, 160'000_B);
  scenario.segment_size = 4_B;

  EXPECT_EQ(refusal(scenario, {.trace = folder() / "trace.json"}),
            "--trace: 560000 messages are too many to look at (expected at most 500000; take fewer "
            "ranks or larger segments)");
}

TEST_F(PredictOptionsTest, TracesOneCell) {
  PredictOptions options;
  options.trace = folder() / "trace.json";

  const Result result = predict(scenario_on(two_nodes(), 8, 1_MiB), options);

  EXPECT_EQ(result.rows.size(), 1U);
  std::ifstream file{*options.trace};
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::size_t lanes = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    lanes += event.at("name") == "thread_name" ? 1U : 0U;
  }
  // 8 ranks; both ways of 8 GPU cables, 2 NIC cables and 2 network cables.
  EXPECT_EQ(lanes, 8U + 2U * 12U);
}

TEST_F(PredictOptionsTest, ReportsATraceThatCannotBeWritten) {
  const Result result =
      predict(scenario_on(star(2), 2, 1_KiB), {.trace = folder() / "missing/folder/trace.json"});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].exit_code, 2);
}

TEST_F(PredictOptionsTest, TellsHowFarItIs) {
  Scenario scenario = scenario_on(star(8), 8, 1_MiB);
  scenario.sizes = {1_KiB, 1_MiB};
  scenario.segment_size = 1_KiB;  // 14,336 messages of the larger
  double last = 0;
  std::size_t last_ended = 0;

  static_cast<void>(predict(scenario, {.progress = [&](const WorkDone& done) {
                              EXPECT_GE(done.fraction, last - 1e-12);
                              EXPECT_EQ(done.cells, 2U);
                              last = done.fraction;
                              last_ended = done.ended;
                            }}));

  EXPECT_NEAR(last, 1, 1e-12);
  EXPECT_EQ(last_ended, 2U);
}

}  // namespace
}  // namespace ringcast
