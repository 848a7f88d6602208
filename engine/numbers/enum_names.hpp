#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ringcast {

/// The names of an enumeration that counts from 0, in the order of its values.
template <std::size_t size>
using EnumNames = std::array<std::string_view, size>;

template <typename Enum, std::size_t size>
[[nodiscard]] constexpr std::string_view name_in(const EnumNames<size>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <typename Enum, std::size_t size>
[[nodiscard]] constexpr std::optional<Enum> enum_named(const EnumNames<size>& names,
                                                       std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace ringcast
