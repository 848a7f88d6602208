#include "engine/collectives/checked_data.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"

namespace ringcast {
namespace {

std::vector<Rank> all_ranks(const CheckedData& data) {
  std::vector<Rank> ranks;
  for (int rank = 0; rank < data.ranks; ++rank) {
    ranks.push_back(Rank{rank});
  }
  return ranks;
}

/// The inputs of these ranks, reduced one after the other by the definition of the reduction.
HostMemory reduced(const CheckedData& data, const std::vector<Rank>& ranks) {
  const Bytes size = data.elements * size_of(data.reduction.type);
  HostMemory result;
  const Slice all{result.allocate(size), Bytes{0}, size};
  data.fill(result, ranks.front());
  HostMemory input;
  static_cast<void>(input.allocate(size));
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    data.fill(input, ranks[i]);
    accumulate_bytes(data.reduction, result.find(all), input.find(all));
  }
  finish_bytes(data.reduction, result.find(all), data.ranks);
  return result;
}

bool accepts(const CheckedData& data, const HostMemory& memory) {
  try {
    data.verify_allreduce(memory, Rank{0});
    return true;
  } catch (const WrongResult&) {
    return false;
  }
}

HostMemory rotated(const CheckedData& data, const HostMemory& memory, std::uint64_t elements) {
  const Bytes width = size_of(data.reduction.type);
  const Slice all{data.buffer, Bytes{0}, data.elements * width};
  HostMemory result;
  static_cast<void>(result.allocate(all.length));
  const auto from = memory.find(all);
  const auto first = static_cast<std::ptrdiff_t>((elements * width).count());
  std::ranges::rotate_copy(from, from.begin() + first, result.find(all).begin());
  return result;
}

class CheckedDataOf : public testing::TestWithParam<Reduction> {
 protected:
  /// Jobs of these numbers of ranks.
  static std::vector<CheckedData> jobs_of(std::initializer_list<int> ranks) {
    std::vector<CheckedData> jobs;
    for (const int count : ranks) {
      // More than two periods, of at most 257 elements, in each half.
      jobs.push_back({BufferId{0}, 1240, GetParam(), count});
    }
    return jobs;
  }
};

std::vector<Reduction> all_reductions() {
  std::vector<Reduction> all;
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      all.push_back({type, operation});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Reductions, CheckedDataOf, testing::ValuesIn(all_reductions()),
                         [](const auto& test) {
                           return fmt::format("{}_{}", name_of(test.param.type),
                                              name_of(test.param.operation));
                         });

TEST_P(CheckedDataOf, AcceptsTheReductionInAnyOrder) {
  for (const CheckedData& data : jobs_of({1, 2, 7, 64, 65, 300})) {
    const std::vector<Rank> ranks = all_ranks(data);

    EXPECT_TRUE(accepts(data, reduced(data, ranks))) << data.ranks;
    EXPECT_TRUE(accepts(data, reduced(data, {ranks.rbegin(), ranks.rend()}))) << data.ranks;
  }
}

TEST_P(CheckedDataOf, RefusesALeftOutRank) {
  for (const CheckedData& data : jobs_of({2, 3, 4, 14, 64, 65, 256})) {
    const std::size_t step = data.ranks > 14 ? static_cast<std::size_t>(data.ranks) / 3 : 1;
    for (std::size_t left_out = 0; left_out < static_cast<std::size_t>(data.ranks);
         left_out += step) {
      std::vector<Rank> others = all_ranks(data);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
      EXPECT_FALSE(accepts(data, reduced(data, others))) << left_out << " of " << data.ranks;
    }
  }
}

// By zeros, by a rotation by one element, and by half the buffer (two chunks exchanged). By a
// quarter, 310, and a fifth, 248, which are multiples of no period, and by 217 = 7 x 31 and
// 341 = 11 x 31, which are whole periods of 7 and of 11.
TEST_P(CheckedDataOf, RefusesZerosAndMisplacedChunks) {
  for (const CheckedData& data : jobs_of({1, 2, 3, 4, 7, 8, 64, 65, 225, 256})) {
    HostMemory zeros;
    static_cast<void>(zeros.allocate(data.elements * size_of(data.reduction.type)));
    const HostMemory result = reduced(data, all_ranks(data));

    EXPECT_FALSE(accepts(data, zeros)) << data.ranks;
    for (const std::uint64_t by : {1U, 620U, 310U, 930U, 248U, 496U, 217U, 341U}) {
      EXPECT_FALSE(accepts(data, rotated(data, result, by))) << data.ranks << " by " << by;
    }
  }
}

TEST(CheckedData, AcceptsNoElements) {
  const CheckedData data{BufferId{0}, 0, {}, 3};

  EXPECT_NO_THROW(data.verify_allreduce(reduced(data, all_ranks(data)), Rank{0}));
}

std::string refusal_of_27_at(std::uint64_t element) {
  const CheckedData data{BufferId{0}, 100'000, {ElementType::float32, Operation::sum}, 2};
  HostMemory memory = reduced(data, all_ranks(data));
  const float wrong = 27;
  memory.write({BufferId{0}, element * 4_B, 4_B}, std::as_bytes(std::span{&wrong, 1}));
  try {
    data.verify_allreduce(memory, Rank{1});
  } catch (const WrongResult& error) {
    return error.what();
  }
  return "a wrong sum was accepted";
}

// Two ranks: the first period has P = 7 elements and begins at its first. At element 1, rank 0 is
// at place 1 and has 1 + 1, rank 1 at place 2 and has 2 + 1. Blocks have about 16,384 elements.
TEST(CheckedData, NamesTheFirstWrongElement) {
  EXPECT_EQ(refusal_of_27_at(1), "rank 1, element 1: 27 (expected 5)");
  EXPECT_THAT(refusal_of_27_at(70'001), testing::StartsWith("rank 1, element 70001: 27 (exp"));
}

// The sums of bfloat16, whose integers are exact up to 256, and products of float16, whose largest
// number is below 2^16: added and multiplied in double.
TEST(CheckedData, KeepsReductionsExactInTheSmallestTypes) {
  const Reduction sum{ElementType::float64, Operation::sum};
  const Reduction product{ElementType::float64, Operation::prod};
  const auto largest = [](const CheckedData& data) {
    const HostMemory memory = reduced(data, all_ranks(data));
    double found = 0;
    for (std::uint64_t i = 0; i < data.elements; ++i) {
      found = std::max(
          found, load_element(ElementType::float64, memory.find({BufferId{0}, i * 8_B, 8_B})));
    }
    return found;
  };

  for (const int ranks : {2, 28, 63, 64, 65, 223, 224, 4096}) {
    EXPECT_LE(largest({BufferId{0}, 2048, sum, ranks}), 128) << ranks;
    EXPECT_LE(largest({BufferId{0}, 2048, product, ranks}), 0x1p15) << ranks;
  }
}

}  // namespace
}  // namespace ringcast
