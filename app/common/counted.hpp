#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ringcast {

/// `1 rank`, `2 ranks`, `2 PCIe switches`
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  const bool takes_es = noun.ends_with("ch") || noun.ends_with("ss");
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : takes_es ? "es" : "s");
}

}  // namespace ringcast
