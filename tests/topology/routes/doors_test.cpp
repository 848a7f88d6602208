#include "topology/routes/doors.hpp"

#include <gtest/gtest.h>

namespace ringcast::detail {
namespace {

std::vector<int> vertices_of(const std::vector<Door>& doors) {
  std::vector<int> vertices;
  for (const Door& door : doors) {
    vertices.push_back(door.vertex);
  }
  return vertices;
}

// Vertices 0 to 4 are cards; 5 and 6 are switches of one part of the fabric, 7 is one of another.
TEST(Doors, AreThoseThatNoOtherIsNearerThanInTheirParts) {
  const std::vector<int> parts{-1, -1, -1, -1, -1, 5, 5, 7};
  const Door near{0, 1, {5}};
  const Door as_near{1, 1, {6}};
  const Door farther{2, 2, {5}};
  const Door of_both{3, 3, {6, 7}};
  const Door to_a_card{4, 9, {2}};

  EXPECT_EQ(vertices_of(nearest_in_parts({farther, near, as_near, of_both, to_a_card}, parts)),
            (std::vector{0, 1, 3, 4}));
  EXPECT_EQ(vertices_of(nearest_in_parts({of_both, {2, 2, {7}}, near}, parts)),
            (std::vector{2, 0}));
}

}  // namespace
}  // namespace ringcast::detail
