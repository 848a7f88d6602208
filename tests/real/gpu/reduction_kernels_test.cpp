// The arithmetic of the CUDA kernels, compiled for the CPU, against its definition.
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_device.hpp"
#include "tests/real/gpu/arithmetic_cases.hpp"

namespace ringcast::testing {
namespace {

class ReductionKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      accumulate_as_kernels_do({}, {}, {});
    } catch (const BackendUnavailable& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static void expect_agreement(Reduction reduction, const Bytestring& into,
                               const Bytestring& from) {
    Bytestring expected = into;
    accumulate_bytes(reduction, expected, from);
    Bytestring result = into;
    accumulate_as_kernels_do(reduction, result, from);
    const std::size_t differs = first_difference(reduction.type, expected, result);
    ASSERT_EQ(differs * size_of(reduction.type).count(), expected.size())
        << name_of(reduction.type) << ' ' << name_of(reduction.operation);
  }

  static void expect_agreement(ElementType type, const Bytestring& sums, int ranks) {
    const Reduction reduction{type, Operation::avg};
    Bytestring expected = sums;
    finish_bytes(reduction, expected, ranks);
    Bytestring result = sums;
    finish_as_kernels_do(reduction, result, ranks);
    const std::size_t differs = first_difference(type, expected, result);
    ASSERT_EQ(differs * size_of(type).count(), expected.size()) << name_of(type) << '/' << ranks;
  }
};

TEST_F(ReductionKernels, CombineEvery16BitPatternWithTheTellingOnes) {
  const Bytestring every = every_16_bits();
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
    for (const Operation operation :
         {Operation::sum, Operation::prod, Operation::min, Operation::max}) {
      for (const std::uint16_t pattern : telling_16_bits()) {
        const Bytestring same = as_bytestring(std::vector<std::uint16_t>(1U << 16U, pattern));
        expect_agreement({type, operation}, every, same);
        expect_agreement({type, operation}, same, every);
      }
    }
  }
}

TEST_F(ReductionKernels, CombineRandomBitsOfEveryType) {
  constexpr std::size_t elements = 100'000;
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      expect_agreement({type, operation}, random_elements(type, elements, 1),
                       random_elements(type, elements, 2));
    }
  }
}

TEST_F(ReductionKernels, DivideBy1To16RanksAndBy1000) {
  std::vector<int> counts{1000};
  for (int ranks = 1; ranks <= 16; ++ranks) {
    counts.push_back(ranks);
  }
  for (const int ranks : counts) {
    for (const ElementType type : all_element_types) {
      expect_agreement(type, random_elements(type, 100'000, 3), ranks);
    }
    expect_agreement(ElementType::float16, every_16_bits(), ranks);
    expect_agreement(ElementType::bfloat16, every_16_bits(), ranks);
  }
}

TEST_F(ReductionKernels, LeaveSumsAloneThatAreNoAverage) {
  Bytestring sums = random_elements(ElementType::int32, 100, 4);
  const Bytestring before = sums;

  finish_as_kernels_do({ElementType::int32, Operation::sum}, sums, 3);

  EXPECT_EQ(sums, before);
}

}  // namespace
}  // namespace ringcast::testing
