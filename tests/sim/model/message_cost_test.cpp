#include "sim/model/message_cost.hpp"

#include <set>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(RandomDelay, DependsOnTheSeedAndOnBothEnds) {
  std::set<Seconds> delays;
  for (const std::uint64_t seed : {1U, 1000U}) {
    for (std::uint64_t from = 0; from < 3; ++from) {
      for (std::uint64_t to = 0; to < 3; ++to) {
        const Seconds delay = random_delay(seed, from, to);
        EXPECT_GE(delay, Seconds{0});
        EXPECT_LT(delay, most_delay);
        delays.insert(delay);
      }
    }
  }
  EXPECT_EQ(delays.size(), 2U * 3 * 3);
}

}  // namespace
}  // namespace ringcast
