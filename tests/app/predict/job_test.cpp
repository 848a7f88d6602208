// A job on a part of a machine takes as long as on an equal part, or on a machine of this part
// only.

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"

namespace ringcast {
namespace {

const std::filesystem::path clusters =
    std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios/clusters";

std::vector<Seconds> times_on(const std::string& cluster, ScenarioOverrides job,
                              const std::string& algorithms) {
  job.sizes = "1KiB,1MiB,256MiB";
  job.algorithm = algorithms;
  const Result result = predict(read_scenario(clusters / cluster, job), {.jobs = 2});
  for (const FailedCell& failure : result.failures) {
    ADD_FAILURE() << cluster << ", " << to_text(failure.cell) << ": " << failure.error;
  }
  std::vector<Seconds> times;
  for (const Row& row : result.rows)
    times.push_back(row.time);
  return times;
}

struct EqualParts {
  const char* cluster;
  ScenarioOverrides one;
  ScenarioOverrides other;
};

TEST(PartOfAMachine, TakesAsLongAsAnEqualOne) {
  const EqualParts cases[] = {
      {"dgx-a100-4-nodes.yaml", {.ranks = "16"}, {.nodes = "2-3"}},
      {"dgx-a100-4-nodes.yaml", {.nodes = "0,1,2", .gpus = "0-3"}, {.nodes = "1-3", .gpus = "4-7"}},
      {"dgx-2.yaml", {.gpus = "0-3"}, {.gpus = "12-15"}},
      {"fat-tree-8-cards.yaml", {.ranks = "40"}, {.nodes = "507-511"}},
      {"gb200-nvl72.yaml", {.gpus = "0-3"}, {.gpus = "68-71"}},
      {"mi355x-8-nodes.yaml", {.ranks = "16"}, {.nodes = "1,3"}},
  };
  for (const auto& [cluster, one, other] : cases) {
    EXPECT_EQ(times_on(cluster, one, "auto,ring,tree,recursive-halving-doubling"),
              times_on(cluster, other, "auto,ring,tree,recursive-halving-doubling"))
        << cluster;
  }
}

}  // namespace
}  // namespace ringcast
