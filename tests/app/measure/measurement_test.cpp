#include "app/measure/measurement.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/app/temporary_folder.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

const std::string text = R"(name: test
cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [2, 3]
sizes: [4 KiB, 1 MiB]
algorithm: [ring, mpi]
ring_order: [by-rank, interleaved]
channels: 2
)";

Scenario scenario(const TemporaryFolder& folder, const ScenarioOverrides& overrides = {},
                  Purpose purpose = Purpose::measurement, const std::string& more = "") {
  folder.write("cluster.yaml", eight_gpus);
  folder.write("scenario.yaml", text + more);
  return read_scenario(folder / "scenario.yaml", overrides, purpose);
}

TEST(MeasurementScenario, MayHaveMoreRanksThanTheClusterHasGpus) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.ranks = "2,64";

  EXPECT_EQ(scenario(folder, overrides).ranks, (std::vector<int>{2, 64}));
}

TEST(MeasurementScenario, IsRefusedAsAPredictionOfOtherPeoplesPrograms) {
  const TemporaryFolder folder;

  EXPECT_EQ(
      message_of(folder, [&] { static_cast<void>(scenario(folder, {}, Purpose::prediction)); }),
      fmt::format("scenario.yaml:6:19: algorithm[1]: \"mpi\" can only be measured (expected {} or "
                  "auto; or `ringcast measure`)",
                  fmt::join(allreduce_names(), ", ")));
}

TEST(MeasurementPlan, HasOneCellOfAnotherProgramForAllRingOrders) {
  const TemporaryFolder folder;

  const std::vector<PlannedTraining> cells = plan_measurement(scenario(folder), {0, 1, 0});

  // 2 rank counts x 2 sizes x (2 orders of the ring + mpi).
  ASSERT_EQ(cells.size(), 12U);
  EXPECT_EQ(to_text(cells[1].cell), "2 ranks, 4 KiB, ring, interleaved");
  EXPECT_EQ(to_text(cells[2].cell), "2 ranks, 4 KiB, mpi");
  EXPECT_EQ(cells[2].cell.channels, std::nullopt);
  EXPECT_EQ(cells[1].cell.channels, 2);
  EXPECT_EQ(cells[1].cell.transport, "mpi");
  // The ranks are where the job has them: 0 and 2 on the first host.
  EXPECT_EQ(cells[7].options.channels.front().next(Rank{0}), Rank{1});
  EXPECT_EQ(cells[7].options.node_of, (std::vector<int>{0, 1, 0}));
}

TEST(MeasurementPlan, HasOneCellOfAnotherProgramForAllNumbersOfChannels) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.channels = "1,2";

  const std::vector<PlannedTraining> cells =
      plan_measurement(scenario(folder, overrides), {0, 1, 0});

  // 2 rank counts x 2 sizes x (2 orders x 2 numbers of channels of the ring + mpi).
  EXPECT_EQ(cells.size(), 20U);
}

TEST(MeasurementPlan, RefusesTypesThatMpiLacks) {
  const TemporaryFolder folder;
  ScenarioOverrides overrides;
  overrides.data_type = "bfloat16";

  EXPECT_EQ(
      message_of(folder,
                 [&] {
                   static_cast<void>(plan_measurement(scenario(folder, overrides), {0, 0, 0}));
                 }),
      "algorithm: MPI has no bfloat16 (expected float32, float64, int32 or int64 for mpi)");
}

// 2 ranks of a ring, 4 KiB; between hosts as much again, to combine it from. MPI has its own.
TEST(MeasuredCell, NeedsScratchForWhatArrivesFromAnotherHost) {
  const TemporaryFolder folder;
  const auto memory = [&](const std::vector<int>& node_of, bool shares_memory, std::size_t cell) {
    return memory_of(plan_measurement(scenario(folder), node_of).at(cell), shares_memory).count();
  };

  EXPECT_EQ(memory({0, 0, 0}, true, 0), 4096U);
  EXPECT_EQ(memory({0, 1, 0}, true, 0), 8192U);
  EXPECT_EQ(memory({0, 0, 0}, false, 0), 8192U);
  EXPECT_EQ(memory({0, 1, 0}, true, 2), 4096U);
}

TEST(MeasuredCell, BecomesARow) {
  const TemporaryFolder folder;
  TimingOptions options;
  options.repetitions = 4;
  for (const PlannedCell& planned : plan_measurement(scenario(folder), {0, 1, 0})) {
    if (planned.cell.algorithm == "mpi") {
      continue;
    }
    ReferenceTransport transport{planned.cell.ranks, planned.cell.reduction};
    const auto ring = make_allreduce(planned.cell.algorithm, planned.options);

    const Row row = measure_cell(transport, *ring, planned, options);

    EXPECT_EQ(to_text(row.cell), to_text(planned.cell));
    EXPECT_GT(row.time_min, Seconds{0});
    EXPECT_LE(row.time_min, row.time);
    EXPECT_LE(row.time, row.time_max);
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(to_text(row_from_json(to_json(row)).cell), to_text(planned.cell));
  }
}

}  // namespace
}  // namespace ringcast
