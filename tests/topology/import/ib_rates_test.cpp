#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

/// A leaf with an adapter on each of `ports` ports, one cable to a spine for each of `up`; the
/// first `others` cables of each sort have another rate.
IbNetwork leaf_with(int ports, int up, const std::string& rate, int others = 1) {
  IbNetwork network;
  network.nodes = {{"S-1", "leaf", true}, {"S-2", "", true}};
  for (int i = 0; i < ports; ++i) {
    network.nodes.push_back({fmt::format("H-{}", i), fmt::format("n{} mlx5_0", i)});
    network.cables.push_back({2 + i, 0, i < others ? rate : "4xNDR", 1, i + 1});
  }
  for (int i = 0; i < up; ++i)
    network.cables.push_back({0, 1, i < others ? rate : "4xNDR"});
  return network;
}

TEST(IbRates, AreNamedWhereTheyDiffer) {
  EXPECT_THAT(remarks_on_rates(leaf_with(5, 4, "4xEDR")),
              ElementsAre("cables of hosts with 4xEDR, 1 of 5 (4 have 4xNDR): n0 mlx5_0 port 1 - "
                          "S-1 (leaf) port 1",
                          "cables between switches with 4xEDR, 1 of 4 (3 have 4xNDR): S-1 (leaf) - "
                          "S-2"));
  EXPECT_THAT(
      remarks_on_rates(leaf_with(0, 5, "")),
      ElementsAre("cables between switches with no rate, 1 of 5 (4 have 4xNDR): S-1 (leaf) - S-2"));
}

TEST(IbRates, AreNamedByTheHostFirst) {
  IbNetwork network = leaf_with(3, 0, "4xEDR");
  network.cables[0] = {0, 2, "4xEDR", 1, 2};
  EXPECT_THAT(remarks_on_rates(network),
              ElementsAre("cables of hosts with 4xEDR, 1 of 3 (2 have 4xNDR): n0 mlx5_0 port 2 - "
                          "S-1 (leaf) port 1"));
}

TEST(IbRates, OfALargeMinorityAreNamed) {
  EXPECT_THAT(remarks_on_rates(leaf_with(7, 0, "4xEDR", 3)),
              ElementsAre("cables of hosts with 4xEDR, 3 of 7 (4 have 4xNDR): n0 mlx5_0 port 1 - "
                          "S-1 (leaf) port 1, n1 mlx5_0 port 1 - S-1 (leaf) port 2, n2 mlx5_0 port "
                          "1 - S-1 (leaf) port 3"));
  EXPECT_THAT(remarks_on_rates(leaf_with(40, 0, "4xEDR", 10)),
              ElementsAre(AllOf(StartsWith("cables of hosts with 4xEDR, 10 of 40 (30 have 4xNDR)"),
                                EndsWith("n7 mlx5_0 port 1 - S-1 (leaf) port 8 and 2 more"))));
}

TEST(IbRates, OfTwoHalvesAreBothNamed) {
  EXPECT_THAT(
      remarks_on_rates(leaf_with(2, 0, "4xEDR")),
      ElementsAre("cables of hosts with 4xEDR, 1 of 2: n0 mlx5_0 port 1 - S-1 (leaf) port 1",
                  "cables of hosts with 4xNDR, 1 of 2: n1 mlx5_0 port 1 - S-1 (leaf) port 2"));
}

TEST(IbRates, AreNotNamedWhereAllAreAlike) {
  EXPECT_TRUE(remarks_on_rates(leaf_with(5, 5, "4xNDR")).empty());
  EXPECT_TRUE(remarks_on_rates(leaf_with(0, 0, "")).empty());
  EXPECT_TRUE(remarks_on_rates(leaf_with(1, 1, "4xEDR")).empty());
}

}  // namespace
}  // namespace ringcast
