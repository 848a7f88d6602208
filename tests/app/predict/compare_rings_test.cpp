#include "app/predict/compare_rings.hpp"

#include <algorithm>

#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// Four nodes of one GPU on two leaves with one cable between them, all cables of 6 GB/s. The nodes
/// are on the leaves in turns, so that by rank each hop crosses that cable.
ClusterSpec scrambled_leaves() {
  ClusterSpec spec = cluster_of(least(), 4);
  spec.explicit_fabric = ExplicitFabricSpec{{"leaf0", "leaf1"},
                                            {{"node0.nic0", "leaf0", fdr()},
                                             {"node1.nic0", "leaf1", fdr()},
                                             {"node2.nic0", "leaf0", fdr()},
                                             {"node3.nic0", "leaf1", fdr()},
                                             {"leaf0", "leaf1", fdr()}}};
  return spec;
}

class RingsTest : public PredictTest {
 protected:
  [[nodiscard]] RingComparison compared(ClusterSpec cluster, int ranks,
                                        const std::string& degrade = "") const {
    RingQuestion question;
    question.scenario = scenario_on(std::move(cluster), ranks, 64_MiB);
    question.degrade = degrade;
    question.jobs = 2;
    RingComparison comparison = compare_rings(question, {}, {});
    EXPECT_TRUE(comparison.failures.empty());
    return comparison;
  }
};

const ComparedRings& named(const ComparedMachine& machine, const std::string& name) {
  return *std::ranges::find(machine.orders, name, &ComparedRings::name);
}

TEST_F(RingsTest, SearchedRingsAvoidTheCableThatAllHopsCrossed) {
  const RingComparison comparison = compared(scrambled_leaves(), 4);
  const ComparedMachine& machine = comparison.machines.at(0);
  // By rank, two hops cross the cable each way: 6 / 2 GB/s. Leaf by leaf, one does.
  EXPECT_EQ(machine.orders.front().found.busbw, BytesPerSecond{3e9});
  EXPECT_EQ(machine.orders.back().found.busbw, BytesPerSecond{6e9});
  EXPECT_EQ(machine.orders.back().name, "searched");
  EXPECT_EQ(machine.ring_bound.busbw, BytesPerSecond{6e9});
  EXPECT_TRUE(machine.orders.back().found.proved_optimal);
  // 2 (n - 1) / n x 64 MiB at 6 GB/s takes 16.8 ms; six steps of some microseconds are below 1 %.
  const double gain = busbw_of(machine.orders.back(), comparison.cell).value() /
                      busbw_of(machine.orders.front(), comparison.cell).value();
  EXPECT_NEAR(gain, 2, 0.02);
}

// As the prediction: NCCL has two channels, of the first two of four rings (PcieSearch).
TEST_F(RingsTest, NcclsAreThoseThatItUses) {
  RingQuestion question;
  question.scenario = scenario_on(boxes_of_pairs(2), 16, 64_MiB);
  question.scenario.transport.p2p = PathLevel::pxb;
  question.scenario.transport.kernel_copies = true;
  question.scenario.transport.tuner = Tuner::nccl;
  question.simulates = false;
  const RingComparison comparison = compare_rings(question, {}, {});
  EXPECT_EQ(named(comparison.machines.at(0), "nccl").found.rings.size(), 2U);
}

// NCCL's 16 channels are the limit of eight rings; the comparison begins with one.
TEST_F(RingsTest, NcclsTakeAsLongAsPredicted) {
  RingQuestion question;
  question.scenario = read_scenario(RINGCAST_SOURCE_DIR "/scenarios/clusters/dgx-h100-2-nodes.yaml",
                                    {.sizes = "8GiB", .algorithm = "ring"});
  const RingComparison comparison = compare_rings(question, {}, {});
  const ComparedRings& nccl = named(comparison.machines.at(0), "nccl");
  Scenario scenario = question.scenario;
  scenario.ring_orders = {{"nccl", {}}};
  EXPECT_NEAR(nccl.row->time / predict(scenario, {}).rows.at(0).time, 1, 1e-9);
}

TEST_F(RingsTest, ARingOrderOfAScenarioIsSearched) {
  Scenario scenario = scenario_on(scrambled_leaves(), 4, 64_MiB);
  scenario.ring_orders = {{"by-rank", {}}, {"searched", {}}};
  const std::vector<Row> rows = rows_of(scenario);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].cell.ring_order, "searched");
  EXPECT_NEAR(rows[0].time / rows[1].time, 2, 0.02);
}

TEST_F(RingsTest, SearchedRingsHaveTheChannelsOfTheScenario) {
  Scenario scenario = scenario_on(two_nodes(), 8, 1_MiB);
  scenario.ring_orders = {{"searched", {}}};
  scenario.channels = {3};
  const std::vector<Row> rows = rows_of(scenario);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].cell.channels, 3);
}

/// Four GPUs on an NVSwitch, two to a PCIe switch with a NIC of 6 GB/s.
NodeTypeSpec two_rails() {
  return {"two-rails",
          {socket({switches(2, {gpus(2), nics(1)})})},
          std::nullopt,
          {},
          NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)}};
}

TEST_F(RingsTest, ADegradedNicSlowsTheOldRingsAndNewOnesTakeTheOther) {
  const RingComparison comparison = compared(on_one_switch(two_rails(), 2), 8, "node1.nic0=1GB/s");
  ASSERT_EQ(comparison.machines.size(), 2U);
  const ComparedMachine& degraded = comparison.machines[1];
  // Two NICs of 6 GB/s, used alike. Then the half of the data that crosses the slow one takes it
  // at 1 GB/s; rings over the other NIC only have its 6 GB/s.
  EXPECT_NEAR(comparison.machines[0].orders.back().found.busbw.value(), 12e9, 1);
  EXPECT_NEAR(named(degraded, "searched").found.busbw.value(), 2e9, 1);
  EXPECT_GE(named(degraded, "searched again").found.busbw.value(), 6e9 - 1);
  EXPECT_EQ(degraded.changes,
            std::vector<std::string>{"node1.nic0 - switch0: 1 GB/s instead of 6 GB/s"});
}

TEST_F(RingsTest, AMissingCableOfACutEndsTheComparison) {
  EXPECT_NE(refusal([&] {
              static_cast<void>(compared(scrambled_leaves(), 4, "leaf0 - leaf1=missing"));
            }).find("--degrade: "),
            std::string::npos);
}

TEST_F(RingsTest, OnlyTheNodesOfTheJobAreBuilt) {
  const ClusterSpec cluster = on_one_switch(least(), 64);
  EXPECT_EQ(compared(cluster, 4).machines.at(0).topology->ranks(), 4);
  // The cable of another node is no mistake.
  EXPECT_EQ(compared(cluster, 4, "node60.nic0=3GB/s").machines.at(1).topology->ranks(), 64);
}

TEST_F(RingsTest, OneRankHasARingWithoutHops) {
  const RingComparison comparison = compared(star(2), 1);
  EXPECT_EQ(comparison.machines[0].orders.back().found.rings.front().size(), 1);
  EXPECT_NE(to_table(comparison).find("searched"), std::string::npos);
  EXPECT_NE(to_json(comparison).find("\"bottleneck\": null"), std::string::npos);
}

TEST_F(RingsTest, TablesNameTheBoundsAndTheGain) {
  const std::string table = to_table(compared(scrambled_leaves(), 4));
  EXPECT_NE(table.find("# bound of rings: 6.000 GB/s"), std::string::npos) << table;
  EXPECT_NE(table.find("2.00 x"), std::string::npos) << table;
  EXPECT_NE(table.find("proved optimal"), std::string::npos) << table;
}

}  // namespace
}  // namespace ringcast
