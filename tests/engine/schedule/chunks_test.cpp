#include "engine/schedule/chunks.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

TEST(Chunks, CoverTheWholeWithLengthsThatDifferByOne) {
  for (const std::uint64_t elements : {0ULL, 1ULL, 6ULL, 7ULL, 8ULL, 1001ULL, 5'000'000'001ULL}) {
    const Chunks chunks{{100, elements}, 7};
    std::uint64_t next = 100;
    for (int part = 0; part < 7; ++part) {
      EXPECT_EQ(chunks[part].first, next);
      EXPECT_LE(chunks.largest() - chunks[part].count, 1U);
      next += chunks[part].count;
    }
    EXPECT_EQ(next, 100 + elements);
    EXPECT_EQ(chunks.largest(), chunks[0].count);
  }
}

TEST(Chunks, NumberTheirPartsModuloTheirNumber) {
  const Chunks chunks{{0, 10}, 3};

  EXPECT_EQ(chunks[-1], chunks[2]);
  EXPECT_EQ(chunks[4], chunks[1]);
}

TEST(Chunks, RefuseToCutIntoNoParts) {
  EXPECT_THROW((Chunks{{0, 10}, 0}), ContractViolation);
}

TEST(ChunkGroups, CoverTheWholeAndKnowWhereEachChunkIs) {
  for (int parts = 1; parts <= 9; ++parts) {
    const Chunks chunks{{100, 40}, parts};
    for (int count = 1; count <= parts; ++count) {
      const ChunkGroups groups{chunks, count};
      std::uint64_t next = 100;
      std::uint64_t most = 0;
      for (int group = 0; group < count; ++group) {
        EXPECT_EQ(groups[group].first, next);
        next += groups[group].count;
        most = std::max(most, groups[group].count);
      }
      EXPECT_EQ(next, 140U);
      EXPECT_EQ(groups.largest(), most) << parts << " chunks in " << count << " groups";
      for (int part = 0; part < parts; ++part) {
        const ElementRange group = groups[groups.group_of(part)];
        EXPECT_GE(chunks[part].first, group.first);
        EXPECT_LE(chunks[part].first + chunks[part].count, group.first + group.count);
      }
    }
  }
}

TEST(ChunkGroups, DifferByOneChunkAtMost) {
  const ChunkGroups groups{Chunks{{0, 8}, 8}, 5};

  for (int group = 0; group < 5; ++group) {
    EXPECT_GE(groups[group].count, 1U);
    EXPECT_LE(groups[group].count, 2U);
  }
  EXPECT_EQ(groups[-1], groups[4]);
}

// Five chunks of 2, 2, 1, 1 and 1 elements in groups of 1, 2 and 2 of them: 2, 3 and 2 elements.
TEST(ChunkGroups, AreRenumbered) {
  const ChunkGroups groups = ChunkGroups{{{0, 7}, 5}, 3}.in_sequence({2, 0, 1});

  EXPECT_EQ(groups[0], (ElementRange{5, 2}));
  EXPECT_EQ(groups[1], (ElementRange{0, 2}));
  EXPECT_EQ(groups[2], (ElementRange{2, 3}));
  EXPECT_EQ(groups.group_of(0), 1);
  EXPECT_EQ(groups.group_of(1), 2);
  EXPECT_EQ(groups.group_of(4), 0);
  EXPECT_EQ(groups.largest(), 3U);
}

TEST(ChunkGroups, RefuseInvalidSequences) {
  const ChunkGroups groups{{{0, 7}, 5}, 3};
  for (const std::vector<int>& sequence : {std::vector{0, 1}, {0, 1, 1}, {0, 1, 3}, {0, 1, 2, 3}}) {
    EXPECT_THROW(static_cast<void>(groups.in_sequence(sequence)), ContractViolation);
  }
}

TEST(ChunkGroups, KnowHowManyHaveElements) {
  for (const std::uint64_t elements : {0U, 1U, 3U, 5U, 6U}) {
    for (int count = 1; count <= 5; ++count) {
      const ChunkGroups groups{{{100, elements}, 5}, count};
      int filled = 0;
      for (int group = 0; group < count; ++group) {
        filled += groups[group].count > 0 ? 1 : 0;
      }
      EXPECT_EQ(groups.filled(), filled) << elements << " elements in " << count << " groups";
    }
  }
}

TEST(ChunkGroups, AreEqualIfTheirChunksAndTheNumbersOfChunksAre) {
  EXPECT_TRUE((ChunkGroups{{{0, 8}, 4}, 2}.are_equal()));
  EXPECT_FALSE((ChunkGroups{{{0, 8}, 4}, 3}.are_equal()));
  EXPECT_FALSE((ChunkGroups{{{0, 9}, 4}, 2}.are_equal()));
}

// 70,000 * 65,536 is more than an int holds.
TEST(ChunkGroups, MayBeMany) {
  const ChunkGroups groups{{{0, 70'000}, 70'000}, 65'536};

  EXPECT_EQ(groups.group_of(69'999), 65'535);
  EXPECT_EQ(groups[65'535].first + groups[65'535].count, 70'000U);
}

TEST(ChunkGroups, RefuseMoreGroupsThanChunks) {
  EXPECT_THROW((ChunkGroups{Chunks{{0, 10}, 3}, 4}), ContractViolation);
  EXPECT_THROW((ChunkGroups{Chunks{{0, 10}, 3}, 0}), ContractViolation);
}

}  // namespace
}  // namespace ringcast
