#include "engine/numbers/half_blocks.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "engine/numbers/half.hpp"

namespace ringcast::detail {
namespace {

constexpr std::size_t half_size = sizeof(std::uint16_t);

void widen_each(const std::byte* from, float* values, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, from + i * half_size, half_size);
    values[i] = float16_to_float32(half);
  }
}

void narrow_each(const float* values, std::byte* into, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint16_t half = float32_to_float16(values[i]);
    std::memcpy(into + i * half_size, &half, half_size);
  }
}

#if defined(__x86_64__)
constexpr std::size_t lanes = 8;

/// Converts elements in groups of eight; returns their number. So does narrow_eights().
[[gnu::target("avx,f16c")]] std::size_t widen_eights(const std::byte* from, float* values,
                                                     std::size_t elements) {
  const std::size_t whole = elements - elements % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    __m128i halves;
    std::memcpy(&halves, from + i * half_size, sizeof(halves));
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(halves));
  }
  return whole;
}

/// The instruction keeps a NaN's sign and some of its bits, so NaNs are replaced by half_nan.
[[gnu::target("avx,f16c")]] std::size_t narrow_eights(const float* values, std::byte* into,
                                                      std::size_t elements) {
  const std::size_t whole = elements - elements % lanes;
  const __m128i magnitude = _mm_set1_epi16(0x7fff);
  const __m128i infinity = _mm_set1_epi16(0x7c00);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
    const __m128i is_nan = _mm_cmpgt_epi16(_mm_and_si128(halves, magnitude), infinity);
    const __m128i result = _mm_blendv_epi8(halves, magnitude, is_nan);
    std::memcpy(into + i * half_size, &result, sizeof(result));
  }
  return whole;
}

bool ask_for_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  // avx: the operating system saves the wide registers, which F16C's bit does not imply.
  return static_cast<bool>(__builtin_cpu_supports("avx")) &&
         __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_f16c() {
  static const bool has = ask_for_f16c();
  return has;
}
#else
std::size_t widen_eights(const std::byte*, float*, std::size_t) {
  return 0;
}
std::size_t narrow_eights(const float*, std::byte*, std::size_t) {
  return 0;
}
bool has_f16c() {
  return false;
}
#endif

}  // namespace

void widen_float16(const std::byte* from, float* values, std::size_t elements) {
  const std::size_t done = has_f16c() ? widen_eights(from, values, elements) : 0;
  widen_each(from + done * half_size, values + done, elements - done);
}

void narrow_float16(const float* values, std::byte* into, std::size_t elements) {
  const std::size_t done = has_f16c() ? narrow_eights(values, into, elements) : 0;
  narrow_each(values + done, into + done * half_size, elements - done);
}

}  // namespace ringcast::detail
