// Pushes and pulls without a barrier on a star, against rival_cost.hpp.
#include "engine/collectives/parameter_server_async.hpp"

#include "engine/training/async_training.hpp"
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using testing::hop;
using testing::reduce_rates;

/// The pushes per second of one of `workers` workers; the servers are the last ranks.
double rate_of(Rank observed, int workers, int servers, Bytes size, int iterations,
               BytesPerSecond reduce_rate = BytesPerSecond{0}) {
  std::vector<Rank> serving;
  for (int i = 0; i < servers; ++i) {
    serving.push_back(Rank{workers + i});
  }
  TransportProfile profile = testing::free_of_cost();
  profile.reduce_rate = reduce_rate;
  return testing::number_from_fork([&] {
    double rate = 0;
    testing::simulated_time(
        testing::star(workers + servers, testing::bandwidth, testing::cable_latency), profile,
        [&](RankContext& self) {
          const BufferId gradients = self.memory.allocate(size);
          const BufferId parameters = self.memory.allocate(size);
          const Seconds begin = self.network.now();
          parameter_server_async(
              serving, {gradients, parameters, size.count() / 4, [&](Rank) { return iterations; }},
              self);
          if (self.network.rank() == observed) {
            rate = iterations / (self.network.now() - begin).count();
          }
        });
    return rate;
  });
}

TEST(SimulatedAsyncServer, TakesTheClosedFormsTime) {
  for (const int workers : {1, 2, 3, 8, 40}) {
    for (const Bytes size : {1_KiB, 1_MiB, Bytes{400'000'000}}) {
      for (const BytesPerSecond rate : reduce_rates) {
        for (const int place : {0, workers - 1}) {
          const Seconds time = parameter_server_async_time({workers, size}, 6, place, hop(rate));

          EXPECT_NEAR(rate_of(Rank{place}, workers, 1, size, 6, rate) * time.count() / 6, 1.0, 1e-9)
              << workers << " workers, " << to_text(size) << ", reduced at " << to_text(rate)
              << ", worker " << place;
        }
      }
    }
  }
}

// In the long run n workers share the cable out of the server: b / (n S), here 10 GB/s / 400 MB =
// 25 a second, less the latency, and less what the first pushes took, which is one round of 100.
TEST(SimulatedAsyncServer, IsAsFastAsTheCableOutOfIt) {
  const double rate = rate_of(Rank{3}, 4, 1, Bytes{100'000'000}, 100);

  EXPECT_LT(rate, 25.0);
  EXPECT_GT(rate, 25.0 * 0.98);
}

// k servers share the work: at most 25 k a second out of them. A worker waits for all of them
// before it pushes again, so there is no closed form, but it pushes and pulls S by one cable in
// turns: at most 50 a second.
TEST(SimulatedAsyncServer, SeveralServersAreFasterThanOne) {
  const double one = rate_of(Rank{0}, 4, 1, Bytes{100'000'000}, 20);
  const double two = rate_of(Rank{0}, 4, 2, Bytes{100'000'000}, 20);
  const double four = rate_of(Rank{0}, 4, 4, Bytes{100'000'000}, 20);

  EXPECT_GT(two, one);
  EXPECT_GT(four, two);
  EXPECT_LT(two, 50.0);
  EXPECT_LT(four, 50.0);
}

/// A number of one rank's training: a worker and a server, two rounds of 100 MB that compute 10 ms,
/// and three times as long in the second round.
double trained(Rank observed, const std::function<double(const StepTimes&)>& number) {
  TrainingStep step;
  step.layers = {{Seconds{3e-3}, Seconds{7e-3}}};
  step.buckets = {{0, 0, 25'000'000}};
  const std::vector<Rank> servers{Rank{1}};
  return testing::number_from_fork([&] {
    double found = 0;
    const auto push_and_pull = make_push_and_pull(servers);
    testing::simulated_time(testing::star(2, testing::bandwidth, testing::cable_latency),
                            testing::free_of_cost(), [&](RankContext& self) {
                              const StepTimes times = train_asynchronously(
                                  step, servers, *push_and_pull, [](Rank) { return 2; },
                                  [](int round) { return round == 0 ? 1.0 : 3.0; }, self);
                              if (self.network.rank() == observed) found = number(times);
                            });
    return found;
  });
}

// 10 + 30 ms of computation and twice a push and a pull, which nothing overlaps.
TEST(SimulatedAsyncTraining, ComputesThenPushesAndPulls) {
  const Seconds sent = parameter_server_async_time({1, Bytes{100'000'000}}, 2, 0, hop());
  const auto whole = [](const StepTimes& times) { return times.whole.length().count(); };
  const auto computed = [](const StepTimes& times) { return times.compute.count(); };

  EXPECT_NEAR(trained(Rank{0}, whole), 40e-3 + sent.count(), 1e-9);
  EXPECT_NEAR(trained(Rank{0}, computed), 40e-3, 1e-12);
  EXPECT_NEAR(
      trained(Rank{0}, [](const StepTimes& times) { return times.in_allreduces().count(); }),
      sent.count(), 1e-9);
  EXPECT_EQ(trained(Rank{1}, computed), 0);
}

}  // namespace
}  // namespace ringcast
