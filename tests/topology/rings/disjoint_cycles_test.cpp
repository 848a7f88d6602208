#include "topology/rings/disjoint_cycles.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(DisjointCycles, CrossNoArcMoreOftenThanItsCapacity) {
  for (const int size : {2, 3, 5, 8, 12, 16}) {
    detail::ArcCapacities left(static_cast<std::size_t>(size),
                               std::vector<int>(static_cast<std::size_t>(size), 1));
    const std::vector<detail::Cycle> cycles = detail::disjoint_cycles([&] {
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i][i] = 0;
      }
      return left;
    }());
    // Complete digraphs of 4 and 6 vertices are the only ones whose arcs do not all form cycles.
    EXPECT_EQ(cycles.size(), static_cast<std::size_t>(size - 1));
    for (const detail::Cycle& cycle : cycles) {
      ASSERT_EQ(cycle.size(), left.size());
      for (std::size_t i = 0; i < cycle.size(); ++i) {
        const auto from = static_cast<std::size_t>(cycle[i]);
        const auto to = static_cast<std::size_t>(cycle[(i + 1) % cycle.size()]);
        EXPECT_EQ(left[from][to]--, 1);
      }
    }
  }
}

TEST(DisjointCycles, AreNoneInAGraphOfTwoPieces) {
  EXPECT_TRUE(
      detail::disjoint_cycles({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}).empty());
  EXPECT_TRUE(detail::disjoint_cycles({{0}}).empty());
}

// The links between the dies of four MI250X, four times: the second die has 16 to the first, and 4
// to each of two others. A cycle that comes from the first leaves to another, and the other way
// round: it takes one of the 8 + 8 arcs, in and out, that do not join the two.
TEST(DisjointCycles, AreAsManyAsAVertexAllowsThatHasMostOfItsArcsToOneOther) {
  detail::ArcCapacities dies{{0, 4, 1, 0, 0, 0, 2, 0}, {4, 0, 0, 1, 0, 1, 0, 0},
                             {1, 0, 0, 4, 2, 0, 0, 0}, {0, 1, 4, 0, 0, 0, 0, 1},
                             {0, 0, 2, 0, 0, 4, 1, 0}, {0, 1, 0, 0, 4, 0, 0, 1},
                             {2, 0, 0, 0, 1, 0, 0, 4}, {0, 0, 0, 1, 0, 1, 4, 0}};
  for (std::vector<int>& arcs : dies)
    for (int& capacity : arcs)
      capacity *= 4;

  EXPECT_EQ(detail::disjoint_cycles(dies).size(), 16U);
}

}  // namespace
}  // namespace ringcast
