#include "engine/numbers/flat_numbers.hpp"

#include <stdexcept>

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

TEST(FoundOnce, KeepsValuesWhereTheyAre) {
  FoundOnce<int> squares;
  int searches = 0;
  const auto square_of = [&](std::uint64_t key) -> const int& {
    return squares.of(key, [&] {
      ++searches;
      return static_cast<int>(key * key);
    });
  };
  const int& first = square_of(3);
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(square_of(key), static_cast<int>(key * key));
  }
  EXPECT_EQ(&square_of(3), &first);
  EXPECT_EQ(searches, 100);
}

TEST(FoundOnce, KeepsNothingOfASearchThatFails) {
  FoundOnce<int> values;
  EXPECT_THROW(static_cast<void>(values.of(1, []() -> int { throw std::out_of_range{"none"}; })),
               std::out_of_range);
  EXPECT_EQ(values.of(1, [] { return 7; }), 7);
}

}  // namespace
}  // namespace ringcast
