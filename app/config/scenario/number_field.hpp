#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/scenario/input_numbers.hpp"
#include "engine/numbers/units.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// A quantity as a plain number in its base unit, and back.
template <typename Quantity>
struct Plain;
template <>
struct Plain<BytesPerSecond> {
  static constexpr Unit unit = Unit::rate;
  static double from(BytesPerSecond rate) { return rate.value(); }
  static BytesPerSecond to(double value) { return BytesPerSecond{value}; }
};
template <>
struct Plain<Seconds> {
  static constexpr Unit unit = Unit::time;
  static double from(Seconds time) { return time.count(); }
  static Seconds to(double value) { return Seconds{value}; }
};
template <>
struct Plain<Bytes> {
  static constexpr Unit unit = Unit::bytes;
  static double from(Bytes size) { return static_cast<double>(size.count()); }
  static Bytes to(double value) {
    // At least one: zero means that the parameter is absent.
    return Bytes{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(value)))};
  }
};
template <>
struct Plain<double> {
  static constexpr Unit unit = Unit::fraction;
  static double from(double value) { return value; }
  static double to(double value) { return value; }
};

template <typename Quantity>
struct Plain<std::optional<Quantity>> {
  static constexpr Unit unit = Plain<Quantity>::unit;
  static double from(std::optional<Quantity> value) {
    return value ? Plain<Quantity>::from(*value) : 0;
  }
  static std::optional<Quantity> to(double value) { return Plain<Quantity>::to(value); }
};

/// One parameter of a cable, a socket or a transport, named as its key.
template <typename Owner>
struct Field {
  template <typename Quantity>
  Field(std::string_view key, Quantity Owner::*member)
      : name{key},
        unit{Plain<Quantity>::unit},
        get{[member](const Owner& owner) { return Plain<Quantity>::from(owner.*member); }},
        set{[member](Owner& owner, double value) { owner.*member = Plain<Quantity>::to(value); }} {}

  /// A time for one kind of path, under the key `under`.
  Field(PathKind kind, std::string_view under, std::map<PathKind, Seconds> Owner::*member)
      : name{std::string{under} + "." + key_of(kind)},
        unit{Unit::time},
        get{[kind, member](const Owner& owner) {
          const auto found = (owner.*member).find(kind);
          return found == (owner.*member).end() ? 0 : found->second.count();
        }},
        set{[kind, member](Owner& owner, double value) {
          (owner.*member)[kind] = Seconds{value};
        }} {}

  std::string name;
  Unit unit;
  std::function<double(const Owner&)> get;
  std::function<void(Owner&, double)> set;
};

}  // namespace ringcast
