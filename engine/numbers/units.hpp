#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringcast {

/// Time on the backend's clock (simulated or wall).
using Seconds = std::chrono::duration<double>;

/// An exact, non-negative number of bytes, without arithmetic that could go below zero.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t count) : count_{count} {}
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count_ + b.count_}; }
  friend constexpr Bytes operator*(std::uint64_t n, Bytes b) { return Bytes{n * b.count_}; }
  constexpr Bytes& operator+=(Bytes other) {
    count_ += other.count_;
    return *this;
  }

 private:
  std::uint64_t count_ = 0;
};

/// A rate in bytes (never bits) per second.
class BytesPerSecond {
 public:
  constexpr BytesPerSecond() = default;
  constexpr explicit BytesPerSecond(double value) : value_{value} {}
  [[nodiscard]] constexpr double value() const { return value_; }
  friend constexpr auto operator<=>(BytesPerSecond, BytesPerSecond) = default;
  friend constexpr BytesPerSecond operator+(BytesPerSecond a, BytesPerSecond b) {
    return BytesPerSecond{a.value_ + b.value_};
  }
  friend constexpr BytesPerSecond operator*(double factor, BytesPerSecond rate) {
    return BytesPerSecond{factor * rate.value_};
  }

 private:
  double value_ = 0.0;
};

/// The lower of two limits on a rate; zero means no limit.
constexpr BytesPerSecond narrower(BytesPerSecond a, BytesPerSecond b) {
  const bool is_absent = a == BytesPerSecond{0} || b == BytesPerSecond{0};
  return is_absent ? std::max(a, b) : std::min(a, b);
}
/// The rate of a flow without any limit: it takes no time.
inline constexpr BytesPerSecond unlimited_rate{1e18};

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds{static_cast<double>(size.count()) / rate.value()};
}
constexpr BytesPerSecond operator/(Bytes size, Seconds time) {
  return BytesPerSecond{static_cast<double>(size.count()) / time.count()};
}

/// Parse quantities with a unit; a space before the unit is allowed, case matters.
/// - size: `1.2 GB` (10^9), `64 MiB` (2^20), `512 B`; a fraction of a byte is refused.
/// - rate: `25 GB/s`, `25GBps`, `200 Gb/s`, `200Gbps`, `3 GiB/s`; b is a bit, B a byte.
/// - time: `5 us`, `1.5 ms`, `2 s`, `300 ns`, `3 min`, `2 h`.
/// `0` alone is allowed, a negative number is not. They throw ScenarioError, with the problem and
/// what was expected, but no position.
[[nodiscard]] Bytes parse_size(std::string_view text);
[[nodiscard]] BytesPerSecond parse_rate(std::string_view text);
[[nodiscard]] Seconds parse_time(std::string_view text);

/// Text for tables and messages: at most four digits and the largest fitting unit, e.g. `64 MiB`,
/// `1.2 GB`, `6 GB/s`, `390 ms`. A size has a binary unit if that is exact, and a decimal one is
/// longer or inexact.
[[nodiscard]] std::string to_text(Bytes size);
[[nodiscard]] std::string to_text(BytesPerSecond rate);
[[nodiscard]] std::string to_text(Seconds time);

inline namespace literals {
consteval Bytes operator""_B(unsigned long long n) {
  return Bytes{n};
}
consteval Bytes operator""_KiB(unsigned long long n) {
  return Bytes{n << 10U};
}
consteval Bytes operator""_MiB(unsigned long long n) {
  return Bytes{n << 20U};
}
consteval Bytes operator""_GiB(unsigned long long n) {
  return Bytes{n << 30U};
}
consteval BytesPerSecond operator""_GBps(unsigned long long n) {
  return BytesPerSecond{static_cast<double>(n) * 1e9};
}
consteval BytesPerSecond operator""_Gbps(unsigned long long n) {
  return BytesPerSecond{static_cast<double>(n) * 1e9 / 8};
}
consteval Seconds operator""_us(unsigned long long n) {
  return Seconds{static_cast<double>(n) / 1e6};  // not * 1e-6: this gives the nearest double
}
}  // namespace literals

}  // namespace ringcast
