#include <gtest/gtest.h>

#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class AdaptiveRouting : public PredictTest {
 protected:
  [[nodiscard]] Row row_of(const ClusterSpec& cluster, int nodes, const std::string& rings) const {
    Scenario scenario = scenario_on(cluster, nodes, 64_MiB);
    scenario.ring_orders = {{rings, {}}};
    return rows_of(scenario).at(0);
  }
  /// Uplinks have no latency, so that a tree has the latencies of one switch.
  static ClusterSpec on_tree(int nodes, int levels, int radix, double oversubscription) {
    ClusterSpec spec =
        machines::on_fat_tree(machines::least(), nodes, levels, radix, oversubscription);
    spec.fat_tree->uplink = machines::cable("uplink", 6, 0);
    spec.fat_tree->adaptive_routing = true;
    return spec;
  }
};

// Messages of a random ring meet on uplinks where the destination selects them.
TEST_F(AdaptiveRouting, GivesNonBlockingTreesTheTimeOfOneSwitch) {
  for (const auto& [nodes, levels, radix] :
       {std::tuple{11, 2, 8}, std::tuple{24, 2, 16}, std::tuple{30, 3, 8}, std::tuple{64, 3, 8}}) {
    ClusterSpec tree = on_tree(nodes, levels, radix, 1);
    const Seconds one_switch =
        row_of(machines::on_one_switch(machines::least(), nodes), nodes, "shuffled").time;
    EXPECT_NEAR(row_of(tree, nodes, "shuffled").time / one_switch, 1, 1e-9) << nodes << " nodes";

    tree.fat_tree->adaptive_routing = false;
    EXPECT_GT(row_of(tree, nodes, "shuffled").time, 1.5 * one_switch) << nodes << " nodes";
  }
}

// A ring that alternates between two leaves of 8 nodes: in each of 2 (16 - 1) steps, 8 messages of
// 64 MiB / 16 share 4 uplinks of 6 GB/s, after the latency of four PCIe cables of 1 us and two of
// the network of 2 us. All ranks are alike.
TEST_F(AdaptiveRouting, SharesOversubscribedUplinksEqually) {
  ClusterSpec spec = on_tree(16, 2, 12, 2);
  for (int node = 0; node < 8; ++node) {
    spec.job_gpus.push_back(node);
    spec.job_gpus.push_back(node + 8);
  }
  const Row row = row_of(spec, 16, "by-rank");
  EXPECT_NEAR(row.time / (30 * (4_MiB / 3_GBps + 8_us)), 1, 1e-9);
  EXPECT_EQ(row.found_by, "folded to 1 of 16");
}

}  // namespace
}  // namespace ringcast
