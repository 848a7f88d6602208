#pragma once

#include <cstddef>

/// Conversions of arrays of float16, with the same bits as those of half.hpp; eight elements at a
/// time if the processor has F16C.
namespace ringcast::detail {

/// Elements per block: two blocks of float32 fit the L1 cache.
inline constexpr std::size_t half_block = 1024;

/// Converts `elements` float16 at `from`, of any alignment, to float32.
void widen_float16(const std::byte* from, float* values, std::size_t elements);
/// Converts back, rounding as float32_to_float16() does.
void narrow_float16(const float* values, std::byte* into, std::size_t elements);

}  // namespace ringcast::detail
