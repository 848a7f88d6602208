#include "engine/numbers/element.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/reduction_cases.hpp"

namespace ringcast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span{values});
  return {bytes.begin(), bytes.end()};
}
template <typename T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
std::vector<T> accumulated(Reduction reduction, const std::vector<T>& into,
                           const std::vector<T>& from) {
  std::vector<std::byte> bytes = bytes_of(into);
  accumulate_bytes(reduction, bytes, bytes_of(from));
  return values_of<T>(bytes);
}
template <typename T>
std::vector<T> finished(Reduction reduction, const std::vector<T>& into, int ranks) {
  std::vector<std::byte> bytes = bytes_of(into);
  finish_bytes(reduction, bytes, ranks);
  return values_of<T>(bytes);
}

std::vector<std::byte> stored(ElementType type, double value) {
  std::vector<std::byte> bytes(size_of(type).count());
  store_element(type, value, bytes);
  return bytes;
}
/// One element combined with another, by value.
double combine(Reduction reduction, double into, double from) {
  std::vector<std::byte> bytes = stored(reduction.type, into);
  accumulate_bytes(reduction, bytes, stored(reduction.type, from));
  return load_element(reduction.type, bytes);
}

TEST(ElementType, HasItsSizeAndName) {
  EXPECT_EQ(size_of(ElementType::float16), Bytes{2});
  EXPECT_EQ(size_of(ElementType::bfloat16), Bytes{2});
  EXPECT_EQ(size_of(ElementType::float32), Bytes{4});
  EXPECT_EQ(size_of(ElementType::float64), Bytes{8});
  EXPECT_EQ(size_of(ElementType::int32), Bytes{4});
  EXPECT_EQ(size_of(ElementType::int64), Bytes{8});
  EXPECT_EQ(name_of(ElementType::bfloat16), "bfloat16");
  EXPECT_EQ(name_of(Operation::prod), "prod");
}

TEST(Operation, IsFoundByItsName) {
  for (const Operation operation : all_operations) {
    EXPECT_EQ(operation_named(name_of(operation)), operation);
  }
  EXPECT_EQ(operation_named("SUM"), std::nullopt);
}

TEST(AccumulateBytes, CombinesSmallNumbersOfEveryType) {
  for (const ElementType type : all_element_types) {
    EXPECT_EQ(combine({type, Operation::sum}, 3, -5), -2) << name_of(type);
    EXPECT_EQ(combine({type, Operation::prod}, 3, -5), -15) << name_of(type);
    EXPECT_EQ(combine({type, Operation::min}, 3, -5), -5) << name_of(type);
    EXPECT_EQ(combine({type, Operation::max}, 3, -5), 3) << name_of(type);
    EXPECT_EQ(combine({type, Operation::avg}, 3, -5), -2) << name_of(type);
  }
}

TEST(AccumulateBytes, CombinesEveryElementAndNoOther) {
  const std::vector<std::int32_t> sums =
      accumulated<std::int32_t>({ElementType::int32, Operation::sum}, {1, 2, 3}, {10, 20, 30});

  EXPECT_EQ(sums, (std::vector<std::int32_t>{11, 22, 33}));
}

TEST(AccumulateBytes, TakesBytesAtAnyAlignment) {
  std::vector<std::byte> into(9);
  std::vector<std::byte> from(10);
  store_element(ElementType::float64, 1.5, std::span{into}.subspan(1));
  store_element(ElementType::float64, 2.25, std::span{from}.subspan(2));

  accumulate_bytes({ElementType::float64, Operation::sum}, std::span{into}.subspan(1),
                   std::span{from}.subspan(2));

  EXPECT_EQ(load_element(ElementType::float64, std::span{into}.subspan(1)), 3.75);
}

TEST(AccumulateBytes, TakesNoBytes) {
  EXPECT_NO_THROW(accumulate_bytes({}, {}, {}));
}

TEST(AccumulateBytes, WrapsIntegersAround) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

  EXPECT_EQ(accumulated<std::int32_t>({ElementType::int32, Operation::sum}, {most}, {1}),
            (std::vector{std::numeric_limits<std::int32_t>::min()}));
  // (2^31 - 1)^2 = 2^62 - 2^32 + 1, which is 1 modulo 2^32
  EXPECT_EQ(accumulated<std::int32_t>({ElementType::int32, Operation::prod}, {most}, {most}),
            (std::vector<std::int32_t>{1}));
  EXPECT_EQ(accumulated<std::int64_t>({ElementType::int64, Operation::prod}, {least}, {-1}),
            (std::vector{least}));
}

TEST(AccumulateBytes, RoundsSixteenBitSumsOnceToNearestEven) {
  // Above 2048 float16 steps by 2, above 256 bfloat16 does; 2049 and 2051, 257 and 259 are ties.
  EXPECT_EQ(combine({ElementType::float16, Operation::sum}, 2048, 1), 2048);
  EXPECT_EQ(combine({ElementType::float16, Operation::sum}, 2050, 1), 2052);
  EXPECT_EQ(combine({ElementType::bfloat16, Operation::sum}, 256, 1), 256);
  EXPECT_EQ(combine({ElementType::bfloat16, Operation::sum}, 258, 1), 260);
  EXPECT_EQ(combine({ElementType::float16, Operation::sum}, 65504, 65504), infinity);
}

TEST(AccumulateBytes, LetsNanWinMinAndMax) {
  for (const ElementType type :
       {ElementType::float16, ElementType::bfloat16, ElementType::float32, ElementType::float64}) {
    for (const Operation operation : {Operation::min, Operation::max}) {
      EXPECT_TRUE(std::isnan(combine({type, operation}, nan, 1)));
      EXPECT_TRUE(std::isnan(combine({type, operation}, 1, nan)));
      EXPECT_TRUE(std::isnan(combine({type, operation}, infinity, nan)));
    }
    EXPECT_EQ(combine({type, Operation::min}, infinity, -infinity), -infinity);
    EXPECT_EQ(combine({type, Operation::max}, infinity, -infinity), infinity);
  }
}

TEST(AccumulateBytes, KeepsTheFirstOfEqualZerosInMinAndMax) {
  for (const Operation operation : {Operation::min, Operation::max}) {
    EXPECT_FALSE(std::signbit(combine({ElementType::float32, operation}, 0.0, -0.0)));
    EXPECT_TRUE(std::signbit(combine({ElementType::float32, operation}, -0.0, 0.0)));
  }
}

TEST(AccumulateBytes, RefusesUnequalLengthsAndPartsOfElements) {
  std::vector<std::byte> eight(8);
  std::vector<std::byte> six(6);

  EXPECT_THROW(accumulate_bytes({}, eight, six), ContractViolation);
  EXPECT_THROW(accumulate_bytes({}, six, six), ContractViolation);
}

TEST(FinishBytes, DividesAveragesByTheRanks) {
  EXPECT_EQ(finished<float>({ElementType::float32, Operation::avg}, {7, -1}, 4),
            (std::vector<float>{1.75F, -0.25F}));
  EXPECT_EQ(finished<double>({ElementType::float64, Operation::avg}, {1}, 3),
            (std::vector<double>{1.0 / 3}));
  EXPECT_EQ(finished<std::int32_t>({ElementType::int32, Operation::avg}, {7, -7, 8}, 4),
            (std::vector<std::int32_t>{1, -1, 2}));  // towards zero
  // 1/3 is 0x1.555p-2 with the 10 bits of float16's fraction: 0 01101 0101010101
  EXPECT_EQ(finished<std::uint16_t>({ElementType::float16, Operation::avg}, {0x3c00}, 3),
            (std::vector<std::uint16_t>{0x3555}));
}

TEST(FinishBytes, LeavesOtherOperationsAlone) {
  for (const Operation operation :
       {Operation::sum, Operation::prod, Operation::min, Operation::max}) {
    EXPECT_EQ(finished<float>({ElementType::float32, operation}, {7}, 4), std::vector<float>{7});
  }
}

TEST(FinishBytes, RefusesNoRanksAndPartsOfElements) {
  std::vector<std::byte> six(6);

  EXPECT_THROW(finish_bytes({}, {}, 0), ContractViolation);
  EXPECT_THROW(finish_bytes({}, six, 2), ContractViolation);
}

TEST(StoreElement, IsReadBackByLoadElement) {
  for (const ElementType type : all_element_types) {
    for (const double value : {0.0, 1.0, -2.0, 100.0, -128.0, 256.0}) {
      EXPECT_EQ(load_element(type, stored(type, value)), value) << name_of(type);
    }
  }
  EXPECT_EQ(load_element(ElementType::int32, stored(ElementType::int32, -0x1p31)), -0x1p31);
}

TEST(StoreElement, RefusesWhatTheTypeCannotHold) {
  EXPECT_THROW(stored(ElementType::float16, 65536), ContractViolation);
  EXPECT_THROW(stored(ElementType::bfloat16, 257), ContractViolation);
  EXPECT_THROW(stored(ElementType::float32, 16777217), ContractViolation);  // 2^24 + 1
  EXPECT_THROW(stored(ElementType::int32, 0.5), ContractViolation);
  EXPECT_THROW(stored(ElementType::int32, 2147483648.0), ContractViolation);  // 2^31
  EXPECT_THROW(stored(ElementType::int64, 0x1p63), ContractViolation);
  EXPECT_THROW(stored(ElementType::int64, nan), ContractViolation);
}

TEST(StoreElement, RefusesAnotherLengthThanTheElements) {
  std::vector<std::byte> three(3);

  EXPECT_THROW(store_element(ElementType::float32, 1, three), ContractViolation);
  EXPECT_THROW(static_cast<void>(load_element(ElementType::float32, three)), ContractViolation);
}

/// However the processor combines many at once, it rounds as it does one by one.
TEST(Accumulate, CombinesManyElementsAsItDoesEachOfThem) {
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      const Reduction reduction{type, operation};
      const std::size_t size = size_of(type).count();
      std::vector<std::byte> into = contract::varied_elements(type, 1001, 3);
      const std::vector<std::byte> from = contract::varied_elements(type, 1001, 5);
      std::vector<std::byte> expected = into;
      for (std::size_t at = 0; at < into.size(); at += size) {
        accumulate_bytes(reduction, std::span{expected}.subspan(at, size),
                         std::span{from}.subspan(at, size));
      }

      accumulate_bytes(reduction, into, from);

      EXPECT_EQ(into, expected) << name_of(type) << ' ' << name_of(operation);
    }
  }
}

/// Numbers, infinities, NaNs and subnormal numbers: every pattern of 16 bits with another one.
TEST(Accumulate, CombinesEveryPatternOfSixteenBitsAsItDoesOne) {
  std::vector<std::uint16_t> left;
  std::vector<std::uint16_t> right;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    for (const unsigned factor : {1U, 3U, 0x2001U}) {
      left.push_back(static_cast<std::uint16_t>(bits));
      right.push_back(static_cast<std::uint16_t>(bits * factor + factor));
    }
  }
  const std::vector<std::byte> from = bytes_of(right);
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
    for (const Operation operation : all_operations) {
      const Reduction reduction{type, operation};
      std::vector<std::byte> into = bytes_of(left);
      std::vector<std::byte> expected = into;
      for (std::size_t at = 0; at < into.size(); at += 2) {
        accumulate_bytes(reduction, std::span{expected}.subspan(at, 2),
                         std::span{from}.subspan(at, 2));
      }

      accumulate_bytes(reduction, into, from);

      EXPECT_EQ(into, expected) << name_of(type) << ' ' << name_of(operation);
    }
  }
}

}  // namespace
}  // namespace ringcast
