#include "engine/schedule/ring_order.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::string refused_order(std::vector<Rank> order) {
  try {
    const RingOrder ring{std::move(order)};
  } catch (const ContractViolation& violation) {
    const std::string message = violation.what();
    return message.substr(message.rfind(": ") + 2);  // behind file and line
  }
  return "accepted";
}

TEST(RingOrder, IdentityPutsRankRAtPositionR) {
  const RingOrder ring = RingOrder::identity(3);

  EXPECT_EQ(ring.size(), 3);
  EXPECT_TRUE(std::ranges::equal(ring.ranks(), std::vector{Rank{0}, Rank{1}, Rank{2}}));
  EXPECT_EQ(ring.position_of(Rank{2}), 2);
}

TEST(RingOrder, GoesRoundInTheGivenOrder) {
  const RingOrder ring{{Rank{2}, Rank{0}, Rank{3}, Rank{1}}};

  EXPECT_EQ(ring.position_of(Rank{3}), 2);
  EXPECT_EQ(ring.next(Rank{0}), Rank{3});
  EXPECT_EQ(ring.next(Rank{1}), Rank{2});  // the last is followed by the first
  EXPECT_EQ(ring.previous(Rank{2}), Rank{1});
  EXPECT_EQ(ring.previous(Rank{3}), Rank{0});
}

TEST(RingOrder, OfOneRankIsItsOwnNeighbour) {
  const RingOrder ring = RingOrder::identity(1);

  EXPECT_EQ(ring.next(Rank{0}), Rank{0});
  EXPECT_EQ(ring.previous(Rank{0}), Rank{0});
}

TEST(RingOrder, VisitsEveryRankOnceOnOneLap) {
  for (const int size : {1, 2, 3, 4, 5, 7, 8}) {
    const RingOrder ring = RingOrder::identity(size);
    std::vector<int> visits(static_cast<std::size_t>(size));
    Rank rank{0};
    for (int hop = 0; hop < size; ++hop) {
      ++visits[static_cast<std::size_t>(index_of(rank))];
      EXPECT_EQ(ring.previous(ring.next(rank)), rank);
      rank = ring.next(rank);
    }

    EXPECT_EQ(rank, Rank{0});
    EXPECT_TRUE(std::ranges::all_of(visits, [](int count) { return count == 1; }));
  }
}

TEST(RingOrder, RejectsNoRanks) {
  EXPECT_EQ(refused_order({}), "a ring needs at least one rank");
}

TEST(RingOrder, RejectsARepeatedRank) {
  EXPECT_EQ(refused_order({Rank{0}, Rank{1}, Rank{0}}), "rank 0 appears at places 0 and 2");
}

TEST(RingOrder, RejectsARankOutsideTheJob) {
  EXPECT_EQ(refused_order({Rank{0}, Rank{2}}), "rank 2 in a ring of 2");
  EXPECT_EQ(refused_order({Rank{-1}, Rank{0}}), "rank -1 in a ring of 2");
}

TEST(RingOrder, DoesNotKnowThePlaceOfARankOutside) {
  const RingOrder ring = RingOrder::identity(2);

  EXPECT_ANY_THROW(static_cast<void>(ring.position_of(Rank{2})));
  EXPECT_ANY_THROW(static_cast<void>(ring.next(Rank{-1})));
}

}  // namespace
}  // namespace ringcast
