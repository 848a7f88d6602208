#include "engine/numbers/flat_numbers.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// Every second key has the same hash.
struct PoorHash {
  std::size_t operator()(int key) const {
    return key % 2 == 0 ? 15 : static_cast<std::size_t>(key);
  }
};

TEST(FlatNumbers, AreFoundByTheirKeysHoweverManyThereAre) {
  FlatNumbers<int, PoorHash> numbers;
  EXPECT_LT(numbers.find(0), 0);
  for (int key = 0; key < 100; ++key) {
    EXPECT_EQ(numbers.add(key, 2 * key), std::pair(2 * key, true));
  }
  for (int key = 0; key < 100; ++key) {
    EXPECT_EQ(numbers.find(key), 2 * key);
  }
  EXPECT_LT(numbers.find(100), 0);
}

TEST(FlatNumbers, StayAsTheyWereFirst) {
  FlatNumbers<int, PoorHash> numbers;
  EXPECT_EQ(numbers.add(4, 0), std::pair(0, true));
  EXPECT_EQ(numbers.add(4, 7), std::pair(0, false));
  EXPECT_EQ(numbers.find(4), 0);
}

}  // namespace
}  // namespace ringcast
