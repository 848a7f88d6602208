#pragma once

#include <array>
#include <cstdint>

namespace ringcast {

/// A fingerprint of a sequence of numbers: with 128 bits collisions are negligible.
class Fingerprint {
 public:
  using Bits = std::array<std::uint64_t, 2>;
  // Two chains of xorshift-multiply steps (Vigna 2016, xorshift*; Steele et al. 2014, splitmix64).
  void add(std::uint64_t word) {
    auto& [first, second] = bits_;
    first = (first ^ word) * 0x9E3779B97F4A7C15U;
    first ^= first >> 29U;
    second = (second + word + 0x94D049BB133111EBU) * 0xBF58476D1CE4E5B9U;
    second ^= second >> 31U;
  }
  [[nodiscard]] const Bits& bits() const { return bits_; }
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;

 private:
  Bits bits_{1, 1};
};

}  // namespace ringcast
