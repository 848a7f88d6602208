#include "engine/schedule/bus_bandwidth.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// 1 GB in 0.1 s is 10 GB/s; each of 4 ranks sent 2 x 3/4 of it.
TEST(BusBandwidth, CountsWhatEachRankSends) {
  EXPECT_NEAR(algorithm_bandwidth(Bytes{1'000'000'000}, Seconds{0.1}).value(), 10e9, 1);
  EXPECT_NEAR(bus_bandwidth(4, Bytes{1'000'000'000}, Seconds{0.1}).value(), 15e9, 1);
}

TEST(BusBandwidth, OfOneRankIsZero) {
  EXPECT_EQ(bus_bandwidth(1, 1_GiB, Seconds{0}).value(), 0);
  EXPECT_EQ(bus_bandwidth(1, 1_GiB, Seconds{1}).value(), 0);
}

}  // namespace
}  // namespace ringcast
