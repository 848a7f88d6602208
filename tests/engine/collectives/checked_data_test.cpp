#include "engine/collectives/checked_data.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"

namespace ringcast {
namespace {

/// All inputs reduced one after the other by the definition of the reduction.
HostMemory reduced(const CheckedData& data) {
  const Bytes size = data.elements * size_of(data.reduction.type);
  HostMemory result;
  const Slice all{result.allocate(size), Bytes{0}, size};
  data.fill(result, Rank{0});
  for (int rank = 1; rank < data.ranks; ++rank) {
    HostMemory input;
    static_cast<void>(input.allocate(size));
    data.fill(input, Rank{rank});
    accumulate_bytes(data.reduction, result.find(all), input.find(all));
  }
  finish_bytes(data.reduction, result.find(all), data.ranks);
  return result;
}

TEST(CheckedData, AcceptsWhatTheDefinitionGives) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      for (const int ranks : {1, 2, 7, 300}) {
        const CheckedData data{BufferId{0}, 1001, {type, operation}, ranks};

        const HostMemory memory = reduced(data);

        EXPECT_NO_THROW(data.verify_allreduce(memory, Rank{0}))
            << name_of(type) << " " << name_of(operation) << " " << ranks;
      }
    }
  }
}

TEST(CheckedData, AcceptsNoElements) {
  const CheckedData data{BufferId{0}, 0, {}, 3};

  EXPECT_NO_THROW(data.verify_allreduce(reduced(data), Rank{0}));
}

// Two ranks: element i is i%7 where that is below 3, plus the same of i+1. Element 1: 1 + 2 = 3.
TEST(CheckedData, NamesTheFirstWrongElement) {
  const CheckedData data{BufferId{0}, 100'000, {ElementType::float32, Operation::sum}, 2};
  HostMemory memory = reduced(data);
  const float wrong = 27;
  memory.write({BufferId{0}, Bytes{4 * 70'001}, Bytes{4}}, std::as_bytes(std::span{&wrong, 1}));

  try {
    data.verify_allreduce(memory, Rank{1});
    FAIL() << "a wrong sum was accepted";
  } catch (const WrongResult& error) {
    // 70001 = 7 * 10000 + 1.
    EXPECT_STREQ(error.what(), "rank 1, element 70001: 27 (expected 3)");
  }
}

// The largest sum over 4096 ranks must be exact in bfloat16, whose integers are exact up to 256.
TEST(CheckedData, KeepsSumsExactInTheSmallestType) {
  const CheckedData data{BufferId{0}, 4096, {ElementType::bfloat16, Operation::sum}, 4096};
  const HostMemory memory = reduced(data);

  double largest = 0;
  for (std::uint64_t i = 0; i < data.elements; ++i) {
    largest = std::max(
        largest, load_element(ElementType::bfloat16, memory.find({BufferId{0}, i * 2_B, 2_B})));
  }

  EXPECT_GT(largest, 0);
  EXPECT_LE(largest, 256);
}

}  // namespace
}  // namespace ringcast
