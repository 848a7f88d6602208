#pragma once

#include <bit>
#include <cstdint>

/// Conversions of the 16-bit floats without branches, so that loops over them vectorise. They round
/// to nearest even; any NaN becomes 0x7fff, as on GPUs.
namespace ringcast::detail {

inline constexpr std::uint32_t float32_infinity = 0x7f800000;
inline constexpr std::uint32_t float32_magnitude = 0x7fffffff;
inline constexpr std::uint32_t half_nan = 0x7fff;
/// float32 has 13 more bits of fraction than float16, and its exponents are 112 higher.
inline constexpr unsigned fraction_shift = 13;
inline constexpr std::uint32_t exponent_shift = 112U << 23U;

/// `yes` if the condition holds, otherwise `no`: by masks, since compilers turn ?: into branches.
constexpr std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

constexpr float float16_to_float32(std::uint16_t half) {
  const std::uint32_t magnitude = (half & 0x7fffU) << fraction_shift;
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  // Multiplying by 2^112 adjusts the exponent, and normalises subnormal numbers.
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t special = magnitude | float32_infinity;
  const bool is_finite = magnitude < (0x7c00U << fraction_shift);
  return std::bit_cast<float>(sign | select(is_finite, finite, special));
}

constexpr std::uint16_t float32_to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & float32_magnitude;
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;

  // Just below half of the last kept bit, and that bit itself: ties go to the even neighbour. A
  // carry out of the fraction raises the exponent, and the largest exponent is infinity.
  const std::uint32_t odd = (magnitude >> fraction_shift) & 1U;
  const std::uint32_t normal = (magnitude - exponent_shift + 0xfffU + odd) >> fraction_shift;
  // In [0.5, 1) floats are 2^-24 apart, as subnormal halves are: the sum does the rounding. The
  // clamp keeps a NaN or a large value out of a sum that is not used.
  constexpr std::uint32_t smallest_normal = 113U << 23U;
  const float tiny = std::bit_cast<float>(select(magnitude < smallest_normal, magnitude, 0U));
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(tiny + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);

  constexpr std::uint32_t too_large = 143U << 23U;  // 2^16
  std::uint32_t result = select(magnitude < smallest_normal, subnormal, normal);
  result = select(magnitude >= too_large, 0x7c00U, result) | sign;
  result = select(magnitude > float32_infinity, half_nan, result);
  return static_cast<std::uint16_t>(result);
}

constexpr float bfloat16_to_float32(std::uint16_t upper) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16U);
}

constexpr std::uint16_t float32_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t odd = (bits >> 16U) & 1U;
  const std::uint32_t rounded = (bits + 0x7fffU + odd) >> 16U;
  const bool is_nan = (bits & float32_magnitude) > float32_infinity;
  return static_cast<std::uint16_t>(is_nan ? half_nan : rounded);
}

}  // namespace ringcast::detail
