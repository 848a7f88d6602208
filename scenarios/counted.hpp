#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ringcast {

/// `1 rank`, `2 ranks`
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ringcast
