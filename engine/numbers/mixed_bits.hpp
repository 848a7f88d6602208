#pragma once

#include <cstdint>

namespace ringcast {

/// The finalizer of splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators"): every bit of the result depends on every bit of the argument.
constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}
/// What splitmix64 adds to its state for each number: 2^64 divided by the golden ratio.
inline constexpr std::uint64_t splitmix_step = 0x9E3779B97F4A7C15U;

}  // namespace ringcast
