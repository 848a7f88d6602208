#include "engine/collectives/segments.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

int window(Bytes segment, std::optional<Bytes> in_flight, std::uint64_t elements = 1U << 24U) {
  CollectiveOptions options{{RingOrder::identity(2)}, segment};
  options.in_flight = in_flight;
  return Segments{BufferId{}, {0, elements}, options, 4_B}.window();
}

// 1 MiB are 16 segments of 64 KiB, of shorter ones 32; there are always 16.
TEST(Segments, FillAWindow) {
  EXPECT_EQ(window(64_KiB, {}), 16);
  EXPECT_EQ(window(40_KiB, {}), 25);
  EXPECT_EQ(window(4_KiB, {}), 32);
  EXPECT_EQ(window(1_MiB, {}), 16);
  EXPECT_EQ(window(64_KiB, {}, 0), 16);
}

// 8 MiB are 128 segments of 64 KiB, and no more than max_in_flight of 4 KiB.
TEST(Segments, FillAGivenWindow) {
  EXPECT_EQ(window(64_KiB, 8_MiB), 128);
  EXPECT_EQ(window(4_KiB, 8_MiB), max_in_flight);
  EXPECT_EQ(window(1_MiB, 8_MiB), 16);
}

}  // namespace
}  // namespace ringcast
