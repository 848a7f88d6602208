#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

using testing::ElementsAre;

/// A leaf with an adapter on each of `ports` ports, one cable to a spine for each of `up`; the
/// first cable of each sort has another rate.
IbNetwork leaf_with(int ports, int up, const std::string& of_first) {
  IbNetwork network;
  network.nodes = {{"S-1", "leaf", true}, {"S-2", "spine", true}};
  for (int i = 0; i < ports; ++i) {
    network.nodes.push_back({fmt::format("H-{}", i), fmt::format("n{} mlx5_0", i)});
    network.cables.push_back({2 + i, 0, i == 0 ? of_first : "4xNDR"});
  }
  for (int i = 0; i < up; ++i)
    network.cables.push_back({0, 1, i == 0 ? of_first : "4xNDR"});
  return network;
}

// One of five is less than a quarter, one of four is not.
TEST(IbRates, AreNamedWhereFewDiffer) {
  EXPECT_THAT(
      remarks_on_rates(leaf_with(5, 4, "4xEDR")),
      ElementsAre("cables with 4xEDR where 4 others have 4xNDR: 1, the first is n0 mlx5_0 - S-1"));
  EXPECT_THAT(
      remarks_on_rates(leaf_with(4, 5, "")),
      ElementsAre("cables with no rate where 4 others have 4xNDR: 1, the first is S-1 - S-2"));
}

TEST(IbRates, AreNotNamedWhereAllAreAlike) {
  EXPECT_TRUE(remarks_on_rates(leaf_with(5, 5, "4xNDR")).empty());
  EXPECT_TRUE(remarks_on_rates(leaf_with(0, 0, "")).empty());
  EXPECT_TRUE(remarks_on_rates(leaf_with(1, 1, "4xEDR")).empty());
}

}  // namespace
}  // namespace ringcast
