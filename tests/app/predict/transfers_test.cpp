#include "engine/collectives/transfers.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class TransfersTest : public PredictTest {
 protected:
  /// The time of a message of 1 MB between two GPUs: 100 us at 10 GB/s, 2 us over two cables.
  [[nodiscard]] double microseconds(std::string transfer, Seconds overhead = Seconds{0}) const {
    Scenario scenario = scenario_on(star(3), 2, Bytes{1'000'000});
    scenario.algorithms = {std::move(transfer)};
    scenario.transport.message_overhead = overhead;
    const Result result = predict(scenario, {});
    return result.rows.empty() ? -1 : 1e6 * result.rows.front().time.count();
  }
};

// There and back: 2 x 102 us for two messages.
TEST_F(TransfersTest, APingPongTakesTheLatencyEachWay) {
  EXPECT_NEAR(microseconds("ping-pong"), 102, 1e-6);
  EXPECT_NEAR(microseconds("ping-pong", 3_us), 105, 1e-6);
}

// The latencies of messages of one stream overlap: 2 us once for 64 messages. Overheads do not.
TEST_F(TransfersTest, AWindowTakesTheLatencyOnce) {
  EXPECT_NEAR(microseconds("one-way"), 100 + 2.0 / 64, 1e-6);
  EXPECT_NEAR(microseconds("one-way", 3_us), 103 + 2.0 / 64, 1e-6);
}

// Cables are full-duplex.
TEST_F(TransfersTest, BothWaysTakeNoLongerThanOne) {
  EXPECT_NEAR(microseconds("both-ways"), microseconds("one-way"), 1e-6);
}

TEST_F(TransfersTest, AreLimitedByWhatACableTakesBothWays) {
  ClusterSpec cluster = star(2);
  cluster.node_types.front()
      .sockets.front()
      .root_complexes.front()
      .devices.front()
      .cable.both_ways = BytesPerSecond{16e9};
  Scenario scenario = scenario_on(cluster, 2, Bytes{1'000'000});
  scenario.algorithms = {"both-ways"};

  // 1 MB each way at 16 GB/s together: 125 us, and 2 us in 64 messages.
  EXPECT_NEAR(1e6 * rows_of(scenario).at(0).time.count(), 125 + 2.0 / 64, 1e-6);
}

TEST(Transfers, AreKnownByName) {
  EXPECT_EQ(transfer_names(), (std::vector<std::string>{"one-way", "both-ways", "ping-pong"}));
  EXPECT_TRUE(is_transfer("one-way"));
  EXPECT_FALSE(is_transfer("ring"));
  EXPECT_EQ(consecutive_messages("ping-pong"), 2);
  EXPECT_THROW(static_cast<void>(make_transfer("ring")), ContractViolation);
}

}  // namespace
}  // namespace ringcast
