#include "engine/numbers/half.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "engine/numbers/half_blocks.hpp"

namespace ringcast {
namespace {

/// The value of a float16, from the definition of IEEE 754: sign, 5 bits of exponent, 10 of
/// fraction.
float defined_float16(unsigned bits) {
  const unsigned exponent = (bits >> 10U) & 31U;
  const auto fraction = static_cast<float>(bits & 0x3ffU);
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
}

TEST(Float16, EveryPatternHasTheValueOfItsDefinition) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = detail::float16_to_float32(static_cast<std::uint16_t>(bits));
    const float defined = defined_float16(bits);

    ASSERT_TRUE(value == defined || (std::isnan(value) && std::isnan(defined))) << bits;
    ASSERT_EQ(std::signbit(value), std::isnan(defined) ? std::signbit(value) : (bits >> 15U) != 0);
  }
}

TEST(Float16, EveryNumberSurvivesTheWayToFloat32AndBack) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = detail::float16_to_float32(static_cast<std::uint16_t>(bits));

    ASSERT_EQ(detail::float32_to_float16(value), std::isnan(value) ? 0x7fffU : bits);
  }
}

/// Between two neighbours: below the middle to the lower, above it to the upper, on it to the even.
TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7bffU; ++bits) {
    const auto below = static_cast<double>(defined_float16(bits));
    const auto above = static_cast<double>(defined_float16(bits + 1));
    const auto middle = static_cast<float>((below + above) / 2);  // exact: one more bit
    const unsigned even = bits + bits % 2;

    ASSERT_EQ(detail::float32_to_float16(middle), even);
    ASSERT_EQ(detail::float32_to_float16(std::nextafter(middle, 0.0F)), bits);
    ASSERT_EQ(detail::float32_to_float16(std::nextafter(middle, 1e9F)), bits + 1);
    ASSERT_EQ(detail::float32_to_float16(-middle), even | 0x8000U);
  }
}

TEST(Float16, OverflowsToInfinityHalfAStepAboveTheLargestNumber) {
  // The largest is 65504, a step there is 32, and a tie goes to the even neighbour: infinity.
  EXPECT_EQ(detail::float32_to_float16(65519.996F), 0x7bffU);
  EXPECT_EQ(detail::float32_to_float16(65520.0F), 0x7c00U);
  EXPECT_EQ(detail::float32_to_float16(-65536.0F), 0xfc00U);
  EXPECT_EQ(detail::float32_to_float16(std::numeric_limits<float>::max()), 0x7c00U);
  EXPECT_EQ(detail::float32_to_float16(-std::numeric_limits<float>::infinity()), 0xfc00U);
}

TEST(Float16, UnderflowsToASignedZero) {
  EXPECT_EQ(detail::float32_to_float16(0x1p-25F), 0U);  // a tie between 0 and 2^-24
  EXPECT_EQ(detail::float32_to_float16(-0x1p-26F), 0x8000U);
  EXPECT_EQ(detail::float32_to_float16(-0.0F), 0x8000U);
  EXPECT_EQ(detail::float32_to_float16(std::numeric_limits<float>::denorm_min()), 0U);
}

/// Every pattern, from an odd place and with a rest that is no whole block of eight.
TEST(Float16, IsWidenedInBlocksAsOneByOne) {
  constexpr std::size_t count = 0x10000 - 3;
  std::vector<std::byte> halves(1 + 2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto pattern = static_cast<std::uint16_t>(i + 3);
    std::memcpy(halves.data() + 1 + 2 * i, &pattern, 2);
  }
  std::vector<float> values(count);

  detail::widen_float16(halves.data() + 1, values.data(), count);

  for (std::size_t i = 0; i < count; ++i) {
    const float one = detail::float16_to_float32(static_cast<std::uint16_t>(i + 3));
    if (std::isnan(one)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(one)) << i;
    }
  }
}

/// The upper half of a float32 takes every value, the lower those about which a rounding turns:
/// float16 keeps 10 of 23 bits of fraction, so the tie has bit 12 only.
TEST(Float16, IsNarrowedInBlocksAsOneByOne) {
  std::vector<float> values;
  for (std::uint32_t upper = 0; upper < 0x10000U; ++upper) {
    for (const std::uint32_t lower :
         {0x0000U, 0x0001U, 0x0fffU, 0x1000U, 0x1001U, 0x2fffU, 0x3000U, 0x3001U, 0xffffU}) {
      values.push_back(std::bit_cast<float>(upper << 16U | lower));
    }
  }
  values.pop_back();  // so that a part of a block is left
  std::vector<std::byte> halves(1 + 2 * values.size());

  detail::narrow_float16(values.data(), halves.data() + 1, values.size());

  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves.data() + 1 + 2 * i, 2);
    ASSERT_EQ(half, detail::float32_to_float16(values[i]))
        << std::bit_cast<std::uint32_t>(values[i]);
  }
}

TEST(Bfloat16, EveryNumberSurvivesTheWayToFloat32AndBack) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = detail::bfloat16_to_float32(static_cast<std::uint16_t>(bits));

    ASSERT_EQ(detail::float32_to_bfloat16(value), std::isnan(value) ? 0x7fffU : bits);
  }
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7f7fU; ++bits) {
    const std::uint32_t middle = (bits << 16U) + 0x8000U;  // half of what is cut off

    ASSERT_EQ(detail::float32_to_bfloat16(std::bit_cast<float>(middle)), bits + bits % 2);
    ASSERT_EQ(detail::float32_to_bfloat16(std::bit_cast<float>(middle - 1)), bits);
    ASSERT_EQ(detail::float32_to_bfloat16(std::bit_cast<float>(middle + 1)), bits + 1);
  }
}

TEST(Bfloat16, OverflowsToInfinityAndKeepsNan) {
  EXPECT_EQ(detail::float32_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80U);
  EXPECT_EQ(detail::float32_to_bfloat16(-std::numeric_limits<float>::infinity()), 0xff80U);
  // A NaN whose only bits would be rounded away.
  EXPECT_EQ(detail::float32_to_bfloat16(std::bit_cast<float>(0x7f800001U)), 0x7fffU);
}

}  // namespace
}  // namespace ringcast
