#pragma once

#include <cstddef>

/// Many float16 at once, in the bits of half.hpp. Where the processor has instructions for them
/// (F16C), eight at a time.
namespace ringcast::detail {

/// Elements per block: two blocks as float32 fit the first level of cache.
inline constexpr std::size_t half_block = 1024;

/// The values of `elements` float16 that lie at `from`, at any alignment.
void widen_float16(const std::byte* from, float* values, std::size_t elements);
/// Rounded as float32_to_float16 does.
void narrow_float16(const float* values, std::byte* into, std::size_t elements);

}  // namespace ringcast::detail
