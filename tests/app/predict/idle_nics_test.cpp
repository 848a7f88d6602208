#include <gtest/gtest.h>

#include "app/common/cell_cache.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class IdleNicsTest : public PredictTest {
 protected:
  /// Two nodes of four GPUs, each below a PCIe switch with a NIC of its own, and joined by
  /// a fast NVSwitch: the NICs are the limit.
  [[nodiscard]] Scenario scenario(std::string ring, std::vector<int> channels) const {
    const NodeTypeSpec node{
        "node",
        {machines::socket({machines::switches(4, {machines::gpus(1), machines::nics(1)})})},
        std::nullopt,
        {},
        NvswitchSpec{1, machines::cable("nvlink-3.0", 100)}};
    Scenario scenario = scenario_on(machines::on_one_switch(node, 2), 8, 1_MiB);
    scenario.ring_orders = {{std::move(ring), {}}};
    scenario.channels = std::move(channels);
    return scenario;
  }
};

// The ring 0 1 2 ... 7 leaves a node at its last GPU, over that one's NIC, and enters it at the
// first: two of four NICs.
TEST_F(IdleNicsTest, AreThoseThatNoRingTakes) {
  const std::vector<Row> rows = rows_of(scenario("by-rank", {}));

  ASSERT_EQ(rows.at(0).idle_nics.size(), 1U);
  EXPECT_EQ(rows[0].idle_nics[0], (IdleNics{true, 2, 4, "--ring nccl"}));
}

TEST_F(IdleNicsTest, AreUsedByMoreChannels) {
  const std::vector<Row> rows = rows_of(scenario("nccl", {1, 4}));

  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(rows[0].idle_nics.size(), 1U);
  EXPECT_EQ(rows[0].idle_nics[0].nics, 4);
  EXPECT_GE(rows[0].idle_nics[0].idle, 2);
  EXPECT_EQ(rows[0].idle_nics[0].remedy, "--channels 4");
  EXPECT_TRUE(rows[1].idle_nics.empty());
}

// NCCL has two channels on these boxes, of the first two of four rings, over two of four NICs.
// Both cross the slots of the switches in the middle in both directions, four rings cross each slot
// three times of four: 15.6 GB/s against 20.8.
TEST_F(IdleNicsTest, AreUsedByMoreChannelsThanNcclTakes) {
  Scenario boxes = scenario_on(machines::boxes_of_pairs(2), 16, 1_GiB);
  boxes.transport.p2p = PathLevel::pxb;
  boxes.transport.kernel_copies = true;
  boxes.transport.tuner = Tuner::nccl;
  boxes.transport.protocols = {{.algorithm = "ring", .name = "Simple", .latencies = {}}};
  boxes.ring_orders = {{"nccl", {}}};

  const Row all = rows_of(boxes).at(0);
  EXPECT_EQ(all.cell.channels, 2);
  ASSERT_EQ(all.idle_nics.size(), 1U);
  EXPECT_EQ(all.idle_nics[0], (IdleNics{true, 2, 4, "--channels 4"}));

  // The ring by rank crosses them as the first two do; NCCL's own number would be these.
  Scenario by_rank = boxes;
  by_rank.ring_orders = {{"by-rank", {}}};
  const Row one = rows_of(by_rank).at(0);
  ASSERT_EQ(one.idle_nics.size(), 1U);
  EXPECT_EQ(one.idle_nics[0].remedy, "--ring nccl --channels 4");

  boxes.channels = {4};
  const Row more = rows_of(boxes).at(0);
  EXPECT_TRUE(more.idle_nics.empty());
  EXPECT_NEAR(all.time / more.time, 19.2 / 14.4, 0.01);
}

TEST_F(IdleNicsTest, HaveNoRemedyWhereTheRingsWereSearched) {
  const std::vector<Row> rows = rows_of(scenario("searched", {1}));

  // One ring through two nodes takes a NIC out of each and one into it, at most two of four.
  ASSERT_EQ(rows.at(0).idle_nics.size(), 1U);
  EXPECT_GE(rows[0].idle_nics[0].idle, 2);
  EXPECT_EQ(rows[0].idle_nics[0].remedy, "");
}

// The search finds the ring by rank: equal cells but for the remedy.
TEST_F(IdleNicsTest, HaveARemedyBesideEqualRingsThatWereSearched) {
  Scenario both = scenario("searched", {1});
  both.ring_orders.push_back({"by-rank", {}});
  CellCache cache;

  const Result result = predict(both, {.cache = &cache});

  EXPECT_EQ(result.rows.at(0).idle_nics.at(0).remedy, "");
  EXPECT_EQ(result.rows.at(1).idle_nics.at(0).remedy, "--ring nccl --channels 4");
}

TEST_F(IdleNicsTest, AreNoneWhereLatenciesDominate) {
  Scenario slow_messages = scenario("by-rank", {});
  slow_messages.transport.message_overhead = Seconds{1e-3};

  EXPECT_TRUE(rows_of(slow_messages).at(0).idle_nics.empty());
}

TEST_F(IdleNicsTest, HaveNoRemedyInAnAlgorithmWithoutChannels) {
  Scenario all_to_one = scenario("by-rank", {});
  all_to_one.algorithms = {"single-reducer"};

  const std::vector<Row> rows = rows_of(all_to_one);

  // The root's node receives over the NIC of GPU 0, and the others send over their own.
  ASSERT_EQ(rows.at(0).idle_nics.size(), 1U);
  EXPECT_EQ(rows[0].idle_nics[0], (IdleNics{false, 3, 8, ""}));
}

TEST_F(IdleNicsTest, AreNotThoseOfJobsThatNeedNone) {
  Scenario one_node = scenario("by-rank", {});
  one_node.ranks = {4};
  Scenario few_elements = scenario("by-rank", {});
  few_elements.sizes = {28_B, 0_B};  // seven elements for eight ranks

  EXPECT_TRUE(rows_of(one_node).at(0).idle_nics.empty());
  EXPECT_TRUE(rows_of(few_elements).at(0).idle_nics.empty());
  EXPECT_TRUE(rows_of(few_elements).at(1).idle_nics.empty());
}

// One host of two GPUs that may use neither P2P nor shared memory: each sends 1 MiB by its NIC, at
// 6 GB/s, so that 2 * (2 - 1) / 2 * 1 MiB take 174.8 us. A third NIC is idle.
TEST_F(IdleNicsTest, AreThoseOfOneHostWithoutShm) {
  const NodeTypeSpec node{
      "node",
      {machines::socket({machines::switches(1, {machines::gpus(2), machines::nics(3)})})},
      std::nullopt,
      {},
      std::nullopt};
  Scenario alone = scenario_on(machines::on_one_switch(node, 1), 2, 1_MiB);
  alone.ring_orders = {{"by-rank", {}}};
  alone.transport.p2p = std::nullopt;
  alone.transport.shm = false;

  const Row row = rows_of(alone).at(0);
  EXPECT_NEAR(row.time.count(), 1048576 / 6e9, 20e-6);  // with latencies
  ASSERT_EQ(row.idle_nics.size(), 1U);
  EXPECT_EQ(row.idle_nics[0].idle, 1);
  EXPECT_EQ(row.idle_nics[0].nics, 3);
  const auto nodes = [&](const std::string& algorithm) {
    alone.algorithms = {algorithm};
    return plan(alone, Topology{build_cluster(alone.cluster)}).at(0).options.node_of;
  };
  EXPECT_EQ(nodes("tree"), (std::vector{0, 1}));
  EXPECT_EQ(nodes("parameter-server"), (std::vector{0, 0}));
}

}  // namespace
}  // namespace ringcast
