#include "app/calibrate/fabric_groups.hpp"

#include <gtest/gtest.h>

#include "app/calibrate/machine_model.hpp"
#include "app/calibrate/reduction_fit.hpp"
#include "engine/numbers/error.hpp"
#include "tests/refusal.hpp"

namespace ringcast {
namespace {

NodeRing ring_of(const std::vector<int>& nodes, const std::vector<double>& rates) {
  NodeRing ring;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    ring.push_back({nodes[i], nodes[(i + 1) % nodes.size()], BytesPerSecond{rates[i] * 1e9}});
  return ring;
}

// Three leaves of two nodes, NICs of 10 GB/s, uplinks of 12. Each ring visits one leaf twice: its
// two streams out have 6 each, and so have its two in, though the other leaves send and receive
// one. The streams within the other leaves keep 10.
TEST(FindGroups, CountsTheStreamsOfTheBusierLeaf) {
  const std::vector<BytesPerSecond> nics(6, BytesPerSecond{10e9});
  const std::vector<double> rates{6, 10, 6, 6, 10, 6};
  const std::vector<NodeRing> rings{ring_of({0, 2, 3, 1, 4, 5}, rates),
                                    ring_of({2, 4, 5, 3, 0, 1}, rates),
                                    ring_of({4, 0, 1, 5, 2, 3}, rates)};
  const FabricGroups found = find_groups(nics, rings);
  ASSERT_EQ(found.groups.size(), 3);
  for (std::size_t leaf = 0; leaf < 3; ++leaf) {
    const int first = 2 * static_cast<int>(leaf);
    EXPECT_EQ(found.groups[leaf].nodes, (std::vector{first, first + 1}));
    EXPECT_NEAR(found.groups[leaf].uplink.value(), 12e9, 1);
  }
  EXPECT_EQ(found.explained, 1);
}

// A ring without a slowed stream tells nothing of who shares an uplink: four nodes whose streams
// are slow in two of three rings are in four groups.
TEST(FindGroups, LearnsNothingFromRingsThatNothingSlows) {
  const std::vector<BytesPerSecond> nics(4, BytesPerSecond{10e9});
  const std::vector<NodeRing> rings{
      ring_of({0, 1, 2, 3}, {5, 5, 5, 5}), ring_of({0, 2, 1, 3}, {5, 5, 5, 5}),
      ring_of({0, 1, 2, 3}, {10, 10, 10, 10}), ring_of({0, 1, 2, 3}, {10, 10, 10, 10}),
      ring_of({0, 1, 2, 3}, {10, 10, 10, 10})};
  EXPECT_EQ(find_groups(nics, rings).groups.size(), 4);
}

// Receives of 2 and 8 GB/s become 2 and 3.1 with a reduction that alone has 3.2: it is part of
// them, and they show its rate. One that costs nothing shows only that it is no slower than alone.
TEST(FitReduction, TakesTheRateThatReceivesShow) {
  const std::vector<CombiningReceive> slowed{{2e9, 2e9}, {8e9, 3.1e9}};
  EXPECT_TRUE(fit_reduction(slowed, BytesPerSecond{3.2e9}).fused);
  EXPECT_NEAR(fit_reduction(slowed, BytesPerSecond{3.2e9}).rate.value(), 3.1e9, 1);
  const std::vector<CombiningReceive> free{{2e9, 2e9}};
  EXPECT_TRUE(fit_reduction(free, BytesPerSecond{5e9}).fused);
  EXPECT_NEAR(fit_reduction(free, BytesPerSecond{5e9}).rate.value(), 5e9, 1);
}

// 1/4 s for a GB becomes 1/2: the reduction takes the other 1/4 s, whatever it takes alone.
TEST(FitReduction, SubtractsTheReceive) {
  const std::vector<CombiningReceive> receives{{4e9, 2e9}};
  const ReductionFit found = fit_reduction(receives, BytesPerSecond{5e9});
  EXPECT_FALSE(found.fused);
  EXPECT_NEAR(found.rate.value(), 4e9, 1);
}

TEST(CalibrationRefuses, OneRankAndMissingOrUnknownSamples) {
  Calibration alone;
  alone.hosts = {"a"};
  alone.node_of = {0};
  EXPECT_EQ(refusal_of([&] { return machine_model(alone); }),
            "calibration: one rank (expected two or more, e.g. --ranks 2)");
  Calibration unmeasured = alone;
  unmeasured.node_of = {0, 0};
  EXPECT_EQ(refusal_of([&] { return machine_model(unmeasured); }),
            "calibration: no reduction measured");
  const std::string text = R"({"hosts": ["a"], "node_of": [0, 0], "cores": 2,
      "samples": [{"probe": "PROBE", "kind": "stream", "size_bytes": 8, "messages": 1,
      "repetitions": 1, "flows": []}]})";
  const auto with_probe = [&](const std::string& probe) {
    std::string changed = text;
    return calibration_from_json(changed.replace(changed.find("PROBE"), 5, probe));
  };
  EXPECT_EQ(with_probe("node pairs").samples.front().probe, Probe::node_pairs);
  EXPECT_THROW(static_cast<void>(with_probe("node peers")), ScenarioError);
}

}  // namespace
}  // namespace ringcast
