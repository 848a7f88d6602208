#include "app/config/cluster/cluster_reader.hpp"
#include "tests/app/predict/ten_layers.hpp"

namespace ringcast {
namespace {

class BroadcastTest : public PredictTrainingTest {
 protected:
  [[nodiscard]] Scenario broadcasting(int gpus) const {
    Scenario scenario = training_on(gpus, {gpus});
    scenario.training->broadcast = true;
    return scenario;
  }
  static double broadcast_of(const Row& row) { return row.iteration->broadcast.value().count(); }
  static double time_of(const Scenario& scenario) {
    return broadcast_of(training_rows(scenario).at(0));
  }
};

// The weights' 40 MB travel in ceil(40 MB / 1 MiB) = 39 equal segments over the 3 hops of 4 ranks.
// A rank is ready for the next when one has come, so that each pays the hop's 2 us: 39 + 2 times a
// segment's time in all.
TEST_F(BroadcastTest, TellsHowLongTheBroadcastTakesOnce) {
  Scenario scenario = broadcasting(4);
  const Row row = training_rows(scenario).at(0);
  scenario.training->broadcast = false;

  EXPECT_NEAR(broadcast_of(row), 41 * (40e6 / 39 / 10e9 + 2e-6), 1e-8);
  EXPECT_NEAR(row.time.count(), training_rows(scenario).at(0).time.count(), 1e-12);
}

// Two rings in opposite directions have 20 segments of 1 MB each. The root's cable carries one of
// each in 0.2 ms and 2 us; the last ones then take two hops more, and a wait for the other ring.
TEST_F(BroadcastTest, BroadcastsRoundOppositeRingsAtOnce) {
  Scenario scenario = broadcasting(4);
  scenario.ring_orders = {
      {"both ways", {{Rank{0}, Rank{1}, Rank{2}, Rank{3}}, {Rank{0}, Rank{3}, Rank{2}, Rank{1}}}}};
  const double time = time_of(scenario);

  EXPECT_GE(time, 20 * 0.2e-3);
  EXPECT_LE(time, (20 + 3) * (0.2e-3 + 2e-6));
}

TEST_F(BroadcastTest, TakesTheChannelsOfItsRow) {
  Scenario scenario = broadcasting(4);
  const auto with_channels = [&](std::vector<int> channels) {
    scenario.channels = std::move(channels);
    return training_rows(scenario);
  };
  const double one = broadcast_of(with_channels({1}).at(0));
  const double two = broadcast_of(with_channels({2}).at(0));
  const std::vector<Row> both = with_channels({1, 2});

  EXPECT_NE(one, two);
  EXPECT_EQ(broadcast_of(both.at(0)), one);
  EXPECT_EQ(broadcast_of(both.at(1)), two);
}

// 40 MB are copied from the root's GPU to the host at 5 GB/s and 1 us, and to the last rank's in
// the end.
TEST_F(BroadcastTest, CopiesWholeBuffersToTheHostAndBack) {
  Scenario scenario = broadcasting(4);
  scenario.transport.host_copy_rate = 8_GBps;
  scenario.transport.copy_rate = 5_GBps;
  scenario.transport.buffers = BufferPlace::host;
  const double on_host = time_of(scenario);
  scenario.transport.buffers = BufferPlace::host_copies;

  EXPECT_NEAR(time_of(scenario), on_host + 2 * (40e6 / 5e9 + 1e-6), 1e-9);
}

// Two processes with 1 MiB of weights each: the caches hold both, and copy them at 30 GB/s.
TEST_F(BroadcastTest, TakesTheRateOfTheCaches) {
  folder().write("host.yaml", R"(name: host
source: invented
node_types:
  host:
    sockets:
      - processes: 2
        process_link: {bandwidth: 8 GB/s, latency: 0, source: invented}
        caches: [{touched: 2 MiB, bandwidth: 30 GB/s}]
nodes: [{type: host}]
)");
  Scenario scenario = broadcasting(2);
  scenario.cluster = read_cluster(folder() / "host.yaml");
  scenario.training = alike_layers("one layer", 1, (1U << 20U) / 4);
  scenario.training->broadcast = true;

  EXPECT_NEAR(time_of(scenario), (1U << 20U) / 30e9, 1e-9);
}

}  // namespace
}  // namespace ringcast
