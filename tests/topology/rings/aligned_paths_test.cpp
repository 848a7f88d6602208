#include "topology/rings/aligned_paths.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

using detail::NodePath;

// Two nodes have lost a path each, and not the same one. The paths that all nodes have come first,
// 1-0 and 3-2; the third ring is 2-3, 0-1 or either of them.
TEST(AlignedPaths, FillAPlaceWithAPathThatServesNoOtherRing) {
  std::map<int, std::vector<NodePath>> paths{{0, {{1, 0}, {2, 3}, {3, 2}}},
                                             {1, {{0, 1}, {1, 0}, {3, 2}}},
                                             {2, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}}};
  detail::align_paths(paths);
  const auto first_three = [&](int shape) {
    const std::vector<NodePath>& all = paths.at(shape);
    return std::vector<NodePath>{all.begin(), all.begin() + 3};
  };
  EXPECT_EQ(first_three(0), (std::vector<NodePath>{{1, 0}, {3, 2}, {2, 3}}));
  EXPECT_EQ(first_three(1), (std::vector<NodePath>{{1, 0}, {3, 2}, {0, 1}}));
  EXPECT_EQ(first_three(2), (std::vector<NodePath>{{1, 0}, {3, 2}, {0, 1}}));
}

// A node with fewer paths than there are rings repeats them.
TEST(AlignedPaths, RepeatTheOnlyPathOfANode) {
  std::map<int, std::vector<NodePath>> paths{{0, {{1, 0}}}, {1, {{0, 1}, {1, 0}}}};
  detail::align_paths(paths);
  EXPECT_EQ(paths.at(0), (std::vector<NodePath>{{1, 0}, {1, 0}}));
  EXPECT_EQ(paths.at(1), (std::vector<NodePath>{{1, 0}, {0, 1}}));
}

}  // namespace
}  // namespace ringcast
