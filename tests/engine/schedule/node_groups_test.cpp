#include "engine/schedule/node_groups.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::vector<int> entered_alike(const std::vector<int>& ring, const std::vector<int>& node_of) {
  std::vector<Rank> ranks;
  for (const int rank : ring)
    ranks.push_back(Rank{rank});
  const RingOrder order{std::move(ranks)};
  const RingOrder alike = enter_nodes_alike(order, NodeGroups{order.size(), node_of});
  std::vector<int> numbers;
  for (const Rank rank : alike.ranks())
    numbers.push_back(index_of(rank));
  return numbers;
}

TEST(NodeGroups, AreAsWideAsTheNodeWithTheMostRanks) {
  EXPECT_EQ((NodeGroups{3, {0, 0, 1}}.widest()), 2);
}

// The first node is entered at its second GPU. The second node is passed backwards, the third has
// that GPU in the middle, the last has no second GPU.
TEST(NodeGroups, EnterEachNodeAtTheSameGpu) {
  EXPECT_EQ(entered_alike({1, 0, 2, 5, 3, 4, 8, 7, 6, 9}, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3}),
            (std::vector<int>{1, 0, 2, 4, 3, 5, 7, 6, 8, 9}));
  EXPECT_EQ(entered_alike({2, 1, 0}, {}), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(entered_alike({0}, {}), (std::vector<int>{0}));
}

}  // namespace
}  // namespace ringcast
