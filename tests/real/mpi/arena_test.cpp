#include "real/mpi/arena.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ringcast {
namespace {

/// The memory that the segment of these bytes has from the host.
Bytes pages_of(const Arena& arena, std::span<const std::byte> bytes) {
  struct stat found {};
  EXPECT_EQ(fstat(arena.place_of(bytes.data()).segment->descriptor(), &found), 0);
  return Bytes{static_cast<std::uint64_t>(found.st_blocks) * 512};
}

// Otherwise the cells of a measurement need the sum of their sizes.
TEST(Arena, GivesUnusedMemoryBackBeforeItTakesMore) {
  Arena arena{Sharing::this_host};
  const auto small = arena.take(2_MiB);
  ASSERT_EQ(pages_of(arena, small), 2_MiB);
  arena.take_back_all();

  const auto large = arena.take(8_MiB);

  EXPECT_EQ(pages_of(arena, small), Bytes{0});
  EXPECT_EQ(pages_of(arena, large), 8_MiB);
}

TEST(Arena, KeepsItsMemoryForBuffersOfTheSameSize) {
  Arena arena{Sharing::this_host};
  const auto first = arena.take(2_MiB);
  arena.take_back_all();

  EXPECT_EQ(arena.take(2_MiB).data(), first.data());
  const auto second = arena.take(2_MiB);
  EXPECT_EQ(pages_of(arena, first), 2_MiB);
  EXPECT_EQ(pages_of(arena, second), 2_MiB);
}

// Other processes keep its mapping.
TEST(Arena, ReturnsToASegmentThatItGaveBack) {
  for (const Sharing sharing : {Sharing::this_process, Sharing::this_host}) {
    Arena arena{sharing};
    const auto first = arena.take(2_MiB);
    std::ranges::fill(first, std::byte{7});
    arena.take_back_all();
    static_cast<void>(arena.take(8_MiB));
    arena.take_back_all();

    const auto again = arena.take(2_MiB);

    EXPECT_EQ(again.data(), first.data());
    EXPECT_TRUE(std::ranges::all_of(again, [](std::byte b) { return b == std::byte{}; }));
  }
}

}  // namespace
}  // namespace ringcast
