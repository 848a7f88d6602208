#include "app/predict/push_pull.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/schedule/rival_cost.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

/// Nodes of one GPU at a switch, cables of 10 GB/s and no latency: the network is the only limit.
std::string star_of(int nodes) {
  return fmt::format(R"(cluster:
  name: star
  links: {{wire: {{bandwidth: 10 GB/s, latency: 0, source: by hand}}}}
  node_types:
    box:
      sockets:
        - root_complexes:
            - devices:
                - {{kind: gpu, link: wire}}
                - {{kind: nic, link: wire}}
  nodes:
    - {{type: box, count: {}}}
  fabric: {{kind: switch, link: wire}}
transport: {{name: free, source: by hand, message_overhead: 0}}
algorithm: parameter-server
)",
                     nodes);
}

PushPullResult predicted(const std::string& scenario, int rounds) {
  const TemporaryFolder folder;
  folder.write("scenario.yaml", scenario);
  return predict_push_pull(read_scenario(folder / "scenario.yaml"), rounds, {});
}

// One worker and one server: S up, S down, by one cable each way in turns: 100 MB at 10 GB/s twice
// is 20 ms, 50 rounds a second.
TEST(PushPull, OneWorkerPushesAndPullsInTurns) {
  const PushPullResult result =
      predicted(star_of(2) + "sizes: 100 MB\nparameter_servers: {nodes: [0]}\n", 4);

  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].workers, 1);
  EXPECT_EQ(result.rows[0].servers, 1);
  EXPECT_NEAR(result.rows[0].rounds_per_s, 50, 1e-6);
  EXPECT_EQ(result.rows[0].slowest_rounds_per_s, result.rows[0].fastest_rounds_per_s);
}

// Of n workers at one server the one that is served last has the closed form's time. On hosts the
// server takes no rank.
TEST(PushPull, TakesTheClosedFormsTime) {
  const PushPullResult result =
      predicted(star_of(4) + "sizes: 100 MB\nparameter_servers: {nodes: [0]}\n", 6);

  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].workers, 3);
  const HopCost hop{Seconds{0}, 10_GBps};
  const Seconds last = parameter_server_async_time({3, Bytes{100'000'000}}, 6, 2, hop);
  EXPECT_NEAR(result.rows[0].slowest_rounds_per_s, 6 / last.count(), 1e-6);
}

TEST(PushPull, SweepsRanksAndSizes) {
  const PushPullResult result = predicted(
      star_of(4) + "ranks: [2, 4]\nsizes: [4 B, 1 MiB]\nparameter_servers: {nodes: [1]}\n", 2);

  ASSERT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(result.rows[1].ranks, 2);
  EXPECT_EQ(result.rows[1].size, 1_MiB);
  EXPECT_EQ(result.rows[3].workers, 3);
}

TEST(PushPull, ServersOnHostsLeaveAllRanksToWork) {
  const PushPullResult result =
      predicted(star_of(2) + "sizes: 1 MiB\nparameter_servers: {nodes: [0, 1], on: host}\n", 2);

  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_TRUE(result.rows[0].servers_on_hosts);
  EXPECT_EQ(result.rows[0].workers, 2);
  EXPECT_GT(result.rows[0].rounds_per_s, 0);
}

TEST(PushPull, RefusesACellWithoutWorkers) {
  EXPECT_EQ(
      message_of(TemporaryFolder{},
                 [] { static_cast<void>(predicted(star_of(2) + "sizes: 1 MiB\n", 2)); }),
      "2 ranks, all of which serve (expected one that works: more ranks, or parameter_servers "
      "on fewer nodes, or with on: host)");
}

// Each of the keys that carry a rate, from 2 workers' 25 rounds of 4 MB: 100 MB/s and 50 updates.
TEST(PushPull, RowsAreOfAKindOfTheirOwn) {
  PushPullRow row;
  row.ranks = 3;
  row.workers = 2;
  row.size = Bytes{4'000'000};
  row.rounds_per_s = 25;
  row.slowest_rounds_per_s = 24;
  row.fastest_rounds_per_s = 26;
  PushPullResult result;
  result.rows = {push_pull_row_from_json(to_json(row))};

  const auto json = nlohmann::json::parse(to_json(result)).at("rows").at(0);

  EXPECT_EQ(json.at("kind"), "parameter-server");
  EXPECT_EQ(json.at("pushed_bytes_per_s"), 100e6);
  EXPECT_EQ(json.at("updates_per_s"), 50);
  EXPECT_FALSE(json.contains("busbw_bytes_per_s"));
  EXPECT_EQ(to_json(result.rows[0]), to_json(row));
}

}  // namespace
}  // namespace ringcast
