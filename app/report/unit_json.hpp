#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "engine/numbers/units.hpp"

namespace ringcast::detail {

/// A quantity as a number in its base unit: bytes, seconds, or bytes per second.
template <typename Unit, auto number>
struct UnitInJson {
  static void to_json(auto& json, Unit unit) { json = (unit.*number)(); }
  static void from_json(const auto& json, Unit& unit) {
    unit = Unit{json.template get<decltype((unit.*number)())>()};
  }
};

}  // namespace ringcast::detail

namespace nlohmann {

template <>
struct adl_serializer<ringcast::Bytes>
    : ringcast::detail::UnitInJson<ringcast::Bytes, &ringcast::Bytes::count> {};
template <>
struct adl_serializer<ringcast::Seconds>
    : ringcast::detail::UnitInJson<ringcast::Seconds, &ringcast::Seconds::count> {};
template <>
struct adl_serializer<ringcast::BytesPerSecond>
    : ringcast::detail::UnitInJson<ringcast::BytesPerSecond, &ringcast::BytesPerSecond::value> {};

/// An absent value is null.
template <typename T>
struct adl_serializer<std::optional<T>> {
  static void to_json(auto& json, const std::optional<T>& value) {
    json = nullptr;
    if (value) json = *value;
  }
};

}  // namespace nlohmann
