// Asynchronous parameter servers in predictions of training, against rival_cost.hpp.
#include "app/predict/iteration_bound.hpp"
#include "tests/app/predict/ten_layers.hpp"
#include "tests/rival_cost.hpp"

namespace ringcast {
namespace {

constexpr Bytes gradients{40'000'000};

class AsyncTraining : public PredictTrainingTest {
 protected:
  /// Ten layers, trained by a server on the first GPU and workers on the others.
  [[nodiscard]] Scenario served(int gpus, std::vector<int> ranks) const {
    Scenario scenario = training_on(gpus, std::move(ranks));
    scenario.algorithms = {"parameter-server-async"};
    return scenario;
  }
  /// The same without computation: what is left are the rounds of pushes and pulls.
  [[nodiscard]] Scenario rounds_only(int gpus, std::vector<int> ranks) const {
    Scenario scenario = served(gpus, std::move(ranks));
    for (TrainedLayer& layer : scenario.training->layers) {
      layer.per_sample = {Seconds{0}, Seconds{0}};
    }
    return scenario;
  }
  /// Nodes of one GPU and one NIC, 6 GB/s at a switch, behind 10 GB/s of PCIe.
  [[nodiscard]] Scenario rounds_on_nodes(int nodes, std::vector<int> serving,
                                         std::vector<int> ranks) const {
    Scenario scenario = rounds_only(1, std::move(ranks));
    scenario.cluster = machines::on_one_switch(machines::least(), nodes);
    scenario.parameter_servers = std::move(serving);
    return scenario;
  }
};

/// The only cell of a scenario, and its bound.
Seconds bound_of(const Scenario& scenario) {
  const Topology topology{build_cluster(scenario.cluster)};
  return iteration_bound(plan_training(scenario, topology).at(0), scenario, topology);
}

// One worker and one server: 40 MB up, 40 MB down by 10 GB/s in turns, 2 us of two cables each:
// 8.004 ms a round.
TEST_F(AsyncTraining, OneWorkerPushesAndPullsInTurns) {
  const Row row = training_rows(rounds_only(2, {2})).at(0);

  EXPECT_EQ(row.cell.training->global_batch, 1);
  EXPECT_EQ(row.iteration->compute, Seconds{0});
  EXPECT_NEAR(row.time.count(), 0.008004, 1e-9);
}

// Each round of a worker is a call: 40 MB to the host at 5 GB/s and 1 us, and back.
TEST_F(AsyncTraining, AWorkerPaysForACallInEachRound) {
  Scenario scenario = rounds_only(2, {2});
  scenario.transport.host_copy_rate = 8_GBps;
  scenario.transport.copy_rate = 5_GBps;
  scenario.transport.buffers = BufferPlace::host;
  const Seconds on_host = training_rows(scenario).at(0).time;
  scenario.transport.buffers = BufferPlace::host_copies;
  scenario.transport.call_overhead = 100_us;

  const Seconds call = 100_us + 2 * (Seconds{40e6 / 5e9} + 1_us);
  EXPECT_NEAR(training_rows(scenario).at(0).time.count(), (on_host + call).count(), 1e-9);
}

// n workers at one server, once their pushes are spread: the closed form of 9 rounds without the
// first. They share the cable out of the server; a server that served all before it let anyone push
// again would take twice as long.
TEST_F(AsyncTraining, TakesTheClosedFormsTime) {
  const std::vector<Row> rows = training_rows(rounds_only(6, {3, 4, 6}));

  ASSERT_EQ(rows.size(), 3U);
  for (const Row& row : rows) {
    const int workers = row.cell.ranks - 1;
    const HopCost hop{Seconds{2e-6}, 10_GBps};
    const auto ended = [&](int rounds) {
      return parameter_server_async_time({workers, gradients}, rounds, 0, hop);
    };
    const double round_s = (ended(9) - ended(1)).count() / 8;
    EXPECT_EQ(row.cell.training->global_batch, workers);
    EXPECT_NEAR(row.time.count(), round_s, 1e-9) << workers << " workers";
    EXPECT_NEAR(row.samples_per_s(), workers / round_s, 1e-6) << workers << " workers";
  }
}

// The worker's computation hides the other workers' turns: each round takes 60 ms, 4 ms up and 4 ms
// down by two cables of 1 us, once the turns are found.
TEST_F(AsyncTraining, ComputationHidesTheTurnsOfOthers) {
  const Row row = training_rows(served(4, {4})).at(0);

  EXPECT_NEAR(row.time.count(), 0.068004, 1e-9);
}

// 60 and 8.004 ms a round of the one worker, 180 or 600 and 8.004 ms of the other: each at its own
// pace, if their turns never meet. Where they do, one waits 8.004 ms at the most.
TEST_F(AsyncTraining, AWorkerDoesNotWaitForASlowerOne) {
  for (const double slowdown : {3.0, 10.0}) {
    Scenario scenario = served(3, {3});
    scenario.training->noise.stragglers = {{Rank{2}, slowdown}};
    const double rate = training_rows(scenario).at(0).samples_per_s();

    EXPECT_LT(rate, (1 / 0.068004 + 1 / (0.06 * slowdown + 0.008004)) * (1 + 1e-9));
    EXPECT_GT(rate, 1 / 0.076008 + 1 / (0.06 * slowdown + 0.016008));
  }
}

// 3 ms of computation, 300 ms of three of the eight workers. The server answers a push in 4.002 ms,
// and the five fast ones alone keep it busy. A rate of the slow ones that was measured after the
// others have ended would make the sum exceed what the server can answer.
TEST_F(AsyncTraining, SlowWorkersNeitherSlowNorOverfillABusyServer) {
  Scenario scenario = served(9, {9});
  for (TrainedLayer& layer : scenario.training->layers) {
    layer.per_sample = {Seconds{1e-4}, Seconds{2e-4}};
  }
  scenario.training->noise.stragglers = {{Rank{2}, 100}, {Rank{3}, 100}, {Rank{4}, 100}};
  const Row row = training_rows(scenario).at(0);

  EXPECT_LT(row.samples_per_s() * 4.002e-3, 1.01);
  EXPECT_GT(row.samples_per_s() * 4.002e-3, 0.99);
  EXPECT_GE(row.time, bound_of(scenario));
}

// One of 4 GPUs serves. The three workers push 40 MB each into its cable and pull them from it:
// 2 x 3 x 4 ms an iteration of all at the most, beside 60 ms of computation.
TEST_F(AsyncTraining, AsynchronousWorkersWaitForTheServersOnly) {
  Scenario scenario = served(4, {4});
  scenario.training->noise.stragglers = {{Rank{3}, 1.0}};
  const Row row = training_rows(scenario).at(0);

  EXPECT_EQ(row.cell.training->global_batch, 3);
  EXPECT_FALSE(row.cell.training->overlap);
  EXPECT_NEAR(row.iteration->compute.count(), 0.06, 1e-9);
  EXPECT_GT(row.time.count(), 0.06 + 2 * 4e-3);
  EXPECT_LT(row.time.count(), 0.06 + 6 * 4e-3 + 1e-4);
}

// The worker's rounds of the second repetition are slowed down by other random numbers.
TEST_F(AsyncTraining, EachRepetitionHasItsOwnNoise) {
  Scenario scenario = served(2, {2});
  scenario.training->noise = {.sigma = 0.2, .seed = 3};
  scenario.training->repetitions = 2;
  const Row row = training_rows(scenario).at(0);

  EXPECT_LT(row.time_min, row.time_max);
}

TEST_F(AsyncTraining, AsynchronousTrainingNeedsAWorker) {
  const Result result = predict_training(served(2, {1}), {});

  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].error.find("every rank is a server"), std::string::npos);
  EXPECT_EQ(result.failures[0].exit_code, 2);
  const std::string json = to_json(result);
  EXPECT_NE(json.find("\"kind\": \"training\""), std::string::npos) << json;
  EXPECT_EQ(result_from_json(json, "file").failures.at(0).cell.training->rule.bucketing,
            Bucketing::whole);
}

TEST_F(AsyncTraining, SweepsRanksThatHaveAServer) {
  const std::vector<Row> rows = training_rows(rounds_on_nodes(4, {1}, {2, 4}));

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].cell.ranks, 2);
  EXPECT_EQ(rows[0].cell.training->global_batch, 1);
  EXPECT_EQ(rows[1].cell.ranks, 4);
  EXPECT_EQ(rows[1].cell.training->global_batch, 3);
}

// Both GPUs work. Each pushes and pulls 40 MB by its PCIe cable in turns, 4 ms each way at 10 GB/s.
TEST_F(AsyncTraining, ServersOnHostsLeaveAllRanksToWork) {
  Scenario scenario = rounds_on_nodes(2, {0, 1}, {2});
  scenario.servers_on_hosts = true;
  const Row row = training_rows(scenario).at(0);

  EXPECT_EQ(row.cell.training->global_batch, 2);
  EXPECT_GT(row.time.count(), 0.008);
}

// 40 MB a round in each direction of both cables, 4 ms at 10 GB/s, in 7 of 9 rounds. Three workers
// push and pull 120 MB a round by the server's cable: 12 ms.
TEST_F(AsyncTraining, AnIterationIsBoundedByTheBusiestLink) {
  EXPECT_NEAR(bound_of(rounds_only(2, {2})).count(), 4e-3 * 7 / 9, 1e-12);
  EXPECT_NEAR(bound_of(rounds_only(4, {4})).count(), 12e-3 * 7 / 9, 1e-12);
}

TEST_F(AsyncTraining, TheBoundIsNoLongerThanTheIteration) {
  for (const int nodes : {2, 3, 6}) {
    for (const bool on_hosts : {false, true}) {
      Scenario scenario = rounds_on_nodes(nodes, {0, 1}, {nodes});
      scenario.servers_on_hosts = on_hosts;
      if (nodes == 2 && !on_hosts) continue;  // no worker
      const Seconds time = training_rows(scenario).at(0).time;

      EXPECT_LE(bound_of(scenario), time) << nodes;
      EXPECT_GE(bound_of(scenario), 0.25 * time) << nodes;  // else it is of little use
    }
  }
}

}  // namespace
}  // namespace ringcast
