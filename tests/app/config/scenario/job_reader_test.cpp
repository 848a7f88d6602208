#include "app/config/scenario/job_reader.hpp"

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const std::string sweep_of_eight = R"(cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [2, 8]
sizes: 64 MiB
)";

Scenario read_job(const TemporaryFolder& folder, const std::string& text,
                  const ScenarioOverrides& overrides = {}) {
  folder.write("cluster.yaml", eight_gpus);
  folder.write("scenario.yaml", text);
  return read_scenario(folder / "scenario.yaml", overrides);
}

std::vector<int> gpus_of_job(const std::string& job, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  return read_job(folder, "job: " + job + "\nranks: 1\n" + sweep_of_eight.substr(0, 88), overrides)
      .cluster.job_gpus;
}

std::string refusal_of_job(const std::string& job, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  return message_of(folder, [&] {
    return read_job(folder, sweep_of_eight + (job.empty() ? "" : "job: " + job + "\n"), overrides);
  });
}

// Two nodes of four GPUs: node 1 has GPUs 4 to 7 of the cluster.
TEST(Job, NumbersItsGpusNodeByNode) {
  EXPECT_EQ(gpus_of_job("{nodes: [1]}"), (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(gpus_of_job("{nodes: [1, 0], gpus: [2-3, 0]}"), (std::vector{6, 7, 4, 2, 3, 0}));
  EXPECT_EQ(gpus_of_job("{gpus: 3}"), (std::vector{3, 7}));
}

TEST(Job, OptionsReplaceItsKeys) {
  EXPECT_EQ(gpus_of_job("{nodes: 1, gpus: [0, 1]}", {.gpus = "3,1-2"}), (std::vector{7, 5, 6}));
  EXPECT_EQ(gpus_of_job("{nodes: 1}", {.nodes = "0", .gpus = "1"}), (std::vector{1}));
}

TEST(Job, OfTheWholeClusterIsNone) {
  EXPECT_TRUE(gpus_of_job("{nodes: [0-1], gpus: [0-3]}").empty());
  EXPECT_TRUE(gpus_of_job("{}").empty());
  EXPECT_FALSE(gpus_of_job("{nodes: [1, 0]}").empty());
}

TEST(Job, OfAnOptionHasAllItsRanksUnlessTheirNumberIsGiven) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.gpus = "1-2"}).ranks, std::vector{4});
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.ranks = "3", .nodes = "1"}).ranks, std::vector{3});
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.nodes = "1", .gpus = "2"}).name,
            "scenario, nodes 1, GPUs 2");
}

TEST(Job, IsRefusedByWhatIsWrong) {
  EXPECT_EQ(refusal_of_job("{nodes: [0, 2]}"),
            "scenario.yaml:5:18: job.nodes[1]: node 2, but the cluster has 2 (expected 0 to 1)");
  EXPECT_EQ(refusal_of_job("{gpus: [1-4]}"),
            "scenario.yaml:5:14: job.gpus[0]: GPU 4, but node0 has 4 (expected 0 to 3)");
  EXPECT_EQ(refusal_of_job("{gpus: [0-2, 1]}"),
            "scenario.yaml:5:19: job.gpus[1]: GPU 1 is repeated (expected each number once)");
  EXPECT_EQ(refusal_of_job("{nodes: [1]}"),
            "scenario.yaml:3:12: ranks[1]: 8 ranks, but the job has 4 (expected 1 to 4)");
  EXPECT_EQ(refusal_of_job("{node: 1}"),
            "scenario.yaml:5:7: job.node: unknown key, did you mean \"nodes\"? (expected nodes or "
            "gpus)");
  for (const std::string text : {"3-1", "1-", "1-2-3", "-1", "a-b", "1 - 2"}) {
    EXPECT_EQ(refusal_of_job("", {.nodes = text}),
              "--nodes: \"" + text + "\" (expected a whole number from 0 on, or a range as 4-7)");
  }
  EXPECT_EQ(refusal_of_job("", {.gpus = "x"}),
            "--gpus: \"x\" is not a whole number (expected a whole number from 0 to 999999)");
}

}  // namespace
}  // namespace ringcast
