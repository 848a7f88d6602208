#include "sim/model/blocked_ranks.hpp"

#include <gtest/gtest.h>

#include "engine/contracts/pending.hpp"

namespace ringcast {
namespace {

/// A number of ranks, each of which waits for the next one.
std::string text_of(int ranks) {
  BlockedRanks blocked{8};
  for (int rank = 0; rank < ranks; ++rank)
    blocked[Rank{rank}] = BlockedRanks::On{rank % 2 == 0, Rank{rank + 1}, 4_B, Tag{3}};
  return blocked.text();
}

TEST(BlockedRanks, AreNamedUpToFour) {
  const std::string three =
      "rank 0 waits to send 4 bytes to rank 1 under tag 3, "
      "rank 1 waits to receive 4 bytes from rank 2 under tag 3, "
      "rank 2 waits to send 4 bytes to rank 3 under tag 3";
  const std::string four = three + ", rank 3 waits to receive 4 bytes from rank 4 under tag 3";

  EXPECT_EQ(text_of(0), "");
  EXPECT_EQ(text_of(3), three);
  EXPECT_EQ(text_of(4), four);
  EXPECT_EQ(text_of(5), four + ", and 1 more");
}

TEST(BlockedRanks, WaitForOneOfTheMessagesThatThereAre) {
  const Pending one{nullptr};
  const std::vector<const Pending*> operations{nullptr, &one};
  BlockedRanks blocked{1};
  blocked[Rank{0}] = BlockedRanks::On{false, Rank{}, 0_B, Tag{}, operations};

  EXPECT_EQ(blocked.text(), "rank 0 waits for one of 1 messages");
}

}  // namespace
}  // namespace ringcast
