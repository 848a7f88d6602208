#include "app/config/scenario/searched_rings.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

PlannedCell cell_of(int ranks, int channels = 1) {
  PlannedCell planned;
  planned.cell.ranks = ranks;
  planned.cell.channels = channels;
  return planned;
}

TEST(SearchedRings, AreTheChannelsOfTheCell) {
  Scenario scenario;
  scenario.channels = {2, 4};
  const Topology topology{build_cluster(on_one_switch(single_root(), 2))};
  SearchedRings searched{scenario, topology};
  const std::vector<RingOrder>& two = searched.of(cell_of(5, 2));
  EXPECT_EQ(two.size(), 2U);
  EXPECT_EQ(two.front().size(), 5);
  EXPECT_EQ(searched.of(cell_of(5, 4)).size(), 4U);
  EXPECT_EQ(&searched.of(cell_of(5, 2)), &two);  // searched once
}

TEST(SearchedRings, RefuseMoreRanksThanTheClusterHas) {
  const Scenario scenario;
  const Topology topology{build_cluster(machines::cluster_of(machines::dgx1(), 1))};
  EXPECT_EQ(machines::refusal([&] {
              static_cast<void>(SearchedRings{scenario, topology}.of(cell_of(9)));
            }),
            "ring_order: searched for 9 ranks, but test has 8 (expected a cluster with as many, or "
            "another order)");
}

TEST(SearchedRings, TravelAsText) {
  const std::vector<RingOrder> rings{RingOrder{{Rank{0}, Rank{2}, Rank{1}}},
                                     RingOrder::identity(3)};
  EXPECT_EQ(text_of(rings), "0 2 1\n0 1 2\n");
  const std::vector<RingOrder> back = rings_of(text_of(rings));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(text_of(back), text_of(rings));
  EXPECT_EQ(rings_of(text_of({RingOrder::identity(1)})).front().size(), 1);
}

}  // namespace
}  // namespace ringcast
