#pragma once

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "engine/numbers/element.hpp"

/// Difficult elements for implementations of element.hpp, and the comparison of results.
namespace ringcast::testing {

using Bytestring = std::vector<std::byte>;

template <typename T>
Bytestring as_bytestring(const std::vector<T>& values) {
  Bytestring bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Every pattern of 16 bits.
inline Bytestring every_16_bits() {
  std::vector<std::uint16_t> patterns(1U << 16U);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] = static_cast<std::uint16_t>(i);
  }
  return as_bytestring(patterns);
}

/// Bit patterns of both 16-bit floats: zeros, the smallest and largest numbers of each kind, ones
/// and their neighbours, infinities, NaNs; and random ones.
inline std::vector<std::uint16_t> telling_16_bits() {
  std::vector<std::uint16_t> patterns{0x0000, 0x0001, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3c01,
                                      0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x007f, 0x0080,
                                      0x3f7f, 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};
  for (std::size_t i = patterns.size(); i-- > 0;) {
    patterns.push_back(patterns[i] | 0x8000U);
  }
  std::minstd_rand random{1};
  for (int i = 0; i < 22; ++i) {
    patterns.push_back(static_cast<std::uint16_t>(random()));
  }
  return patterns;
}

/// Random bits, with all exponents and kinds of NaN, mixed with special values.
inline Bytestring random_elements(ElementType type, std::size_t count, unsigned seed) {
  std::mt19937_64 random{seed};
  const std::size_t size = size_of(type).count();
  Bytestring bytes(count * size);
  constexpr std::array<std::uint64_t, 8> specials{0,
                                                  1,
                                                  ~0ULL,
                                                  1ULL << 63U,
                                                  0x7ff0000000000000,
                                                  0x7f8000007f800000,
                                                  0x8000000080000000,
                                                  0x3f8000003f800000};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = random();
    const std::uint64_t bits = drawn % 8 == 0 ? specials[drawn / 8 % specials.size()] : random();
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

template <typename T>
bool agree_as(const std::byte* left, const std::byte* right) {
  T a{};
  T b{};
  std::memcpy(&a, left, sizeof(T));
  std::memcpy(&b, right, sizeof(T));
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

/// The first element on which two results differ, or their count. The bits of a NaN in float32 and
/// float64 are not compared.
inline std::size_t first_difference(ElementType type, const Bytestring& left,
                                    const Bytestring& right) {
  const std::size_t size = size_of(type).count();
  for (std::size_t at = 0; at + size <= left.size(); at += size) {
    const bool agree = type == ElementType::float32 ? agree_as<float>(&left[at], &right[at])
                       : type == ElementType::float64
                           ? agree_as<double>(&left[at], &right[at])
                           : std::memcmp(&left[at], &right[at], size) == 0;
    if (!agree) return at / size;
  }
  return left.size() / size;
}

}  // namespace ringcast::testing
