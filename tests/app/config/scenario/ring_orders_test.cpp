#include <algorithm>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// Two nodes of three ranks, and one rank on a third.
const std::vector<int> node_of{0, 0, 0, 1, 1, 1, 2};

std::vector<int> order_of(const RingOrder& order) {
  std::vector<int> ranks;
  for (const Rank rank : order.ranks())
    ranks.push_back(index_of(rank));
  return ranks;
}

std::vector<int> first_order(const std::string& rule, int ranks, std::uint64_t seed = 0) {
  return order_of(orders({rule, {}}, ranks, 1, node_of, seed).front());
}

TEST(RingRules, ByRankCounts) {
  EXPECT_EQ(first_order("by-rank", 5), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(RingRules, ReversedCountsDown) {
  EXPECT_EQ(first_order("reversed", 5), (std::vector<int>{4, 3, 2, 1, 0}));
}

TEST(RingRules, InterleavedTakesTurnsBetweenNodes) {
  EXPECT_EQ(first_order("interleaved", 7), (std::vector<int>{0, 3, 6, 1, 4, 2, 5}));
  EXPECT_EQ(first_order("interleaved", 4), (std::vector<int>{0, 3, 1, 2}));
}

TEST(RingRules, ShuffledIsAPermutationThatRepeats) {
  std::vector<int> shuffled = first_order("shuffled", 7, 1);

  EXPECT_EQ(shuffled, first_order("shuffled", 7, 1));
  EXPECT_NE(shuffled, first_order("shuffled", 7, 2));
  std::ranges::sort(shuffled);
  EXPECT_EQ(shuffled, first_order("by-rank", 7));
}

TEST(RingRules, ShuffledDiffersFromChannelToChannel) {
  const std::vector<RingOrder> made = orders({"shuffled", {}}, 7, 2, node_of, 1);

  EXPECT_EQ(order_of(made[0]), first_order("shuffled", 7, 1));
  EXPECT_NE(order_of(made[0]), order_of(made[1]));
}

TEST(RingRules, EveryRuleServesOneRankAndEveryChannel) {
  for (const std::string& rule : ring_rules()) {
    const std::vector<RingOrder> made = orders({rule, {}}, 1, 3, node_of, 0);

    EXPECT_EQ(made.size(), 3U) << rule;
    EXPECT_EQ(order_of(made.back()), std::vector<int>{0}) << rule;
  }
}

TEST(GivenOrders, OneServesEveryChannel) {
  const std::vector<RingOrder> made = orders({"own", {{Rank{1}, Rank{0}}}}, 2, 3, node_of, 0);

  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(order_of(made[2]), (std::vector<int>{1, 0}));
}

TEST(GivenOrders, EachChannelHasItsOwn) {
  const RingChoice choice{"own", {{Rank{0}, Rank{1}, Rank{2}}, {Rank{2}, Rank{1}, Rank{0}}}};
  const std::vector<RingOrder> made = orders(choice, 3, 2, node_of, 0);

  EXPECT_EQ(order_of(made[0]), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order_of(made[1]), (std::vector<int>{2, 1, 0}));
}

TEST(GivenOrders, MustSuitRanksAndChannels) {
  const RingChoice choice{"own", {{Rank{0}, Rank{1}}, {Rank{1}, Rank{0}}}};

  EXPECT_THROW(static_cast<void>(orders(choice, 3, 2, node_of, 0)), ContractViolation);
  EXPECT_THROW(static_cast<void>(orders(choice, 2, 3, node_of, 0)), ContractViolation);
  EXPECT_THROW(static_cast<void>(orders({"no-rule", {}}, 2, 1, node_of, 0)), ContractViolation);
}

}  // namespace
}  // namespace ringcast
