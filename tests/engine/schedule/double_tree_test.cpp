#include "engine/schedule/double_tree.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

int depth_of(int tree, int position, int size) {
  int depth = 0;
  for (auto up = place_in_double_tree(tree, position, size).parent; up;
       up = place_in_double_tree(tree, *up, size).parent) {
    ++depth;
  }
  return depth;
}

bool is_inner(int tree, int position, int size) {
  return !place_in_double_tree(tree, position, size).children.empty();
}

TEST(DoubleTree, OfSevenIsInOrderAndMovedByOne) {
  EXPECT_EQ(place_in_double_tree(0, 3, 7), (TreePlace{std::nullopt, {1, 5}, 2}));
  EXPECT_EQ(place_in_double_tree(0, 5, 7), (TreePlace{3, {4, 6}, 1}));
  EXPECT_EQ(place_in_double_tree(0, 4, 7), (TreePlace{5, {}, 0}));
  EXPECT_EQ(place_in_double_tree(1, 2, 7), (TreePlace{std::nullopt, {0, 4}, 2}));
  EXPECT_EQ(place_in_double_tree(1, 0, 7), (TreePlace{2, {6, 1}, 1}));
}

TEST(DoubleTree, OfSixIsInOrderAndMirrored) {
  EXPECT_EQ(place_in_double_tree(0, 3, 6), (TreePlace{std::nullopt, {1, 5}, 2}));
  EXPECT_EQ(place_in_double_tree(0, 5, 6), (TreePlace{3, {4}, 1}));
  EXPECT_EQ(place_in_double_tree(1, 2, 6), (TreePlace{std::nullopt, {4, 0}, 2}));
}

TEST(DoubleTree, ParentsAndChildrenAgree) {
  for (int size = 1; size <= 70; ++size) {
    for (const int tree : {0, 1}) {
      int roots = 0;
      int children = 0;
      for (int position = 0; position < size; ++position) {
        const TreePlace place = place_in_double_tree(tree, position, size);
        roots += place.parent ? 0 : 1;
        children += static_cast<int>(place.children.size());
        int levels_below = 0;
        for (const int number : place.children) {
          const TreePlace child = place_in_double_tree(tree, number, size);
          EXPECT_EQ(child.parent, position) << size << " ranks";
          levels_below = std::max(levels_below, 1 + child.height);
        }
        EXPECT_EQ(place.height, levels_below) << size << " ranks";
      }

      EXPECT_EQ(roots, 1) << size << " ranks";
      EXPECT_EQ(children, size - 1) << size << " ranks";
    }
  }
}

TEST(DoubleTree, NoPositionHasChildrenInBothTrees) {
  for (int size = 1; size <= 70; ++size) {
    for (int position = 0; position < size; ++position) {
      EXPECT_FALSE(is_inner(0, position, size) && is_inner(1, position, size))
          << "position " << position << " of " << size;
    }
  }
}

// The root of a tree in order is the largest power of two, p <= n < 2p, and each step down halves
// the height from p to 1: at most log2(p) steps.
TEST(DoubleTree, IsAsDeepAsTheLogarithmOfItsSize) {
  for (int size = 1; size <= 70; ++size) {
    int log2 = 0;
    while (2 << log2 <= size) {
      ++log2;
    }
    for (const int tree : {0, 1}) {
      for (int position = 0; position < size; ++position) {
        EXPECT_LE(depth_of(tree, position, size), log2)
            << "position " << position << " of " << size;
      }
    }
  }
}

TEST(DoubleTree, RefusesInvalidPlaces) {
  EXPECT_THROW(static_cast<void>(place_in_double_tree(2, 0, 3)), ContractViolation);
  EXPECT_THROW(static_cast<void>(place_in_double_tree(0, 3, 3)), ContractViolation);
  EXPECT_THROW(static_cast<void>(place_in_double_tree(0, -1, 3)), ContractViolation);
}

}  // namespace
}  // namespace ringcast
