#pragma once

#include <cstddef>

namespace ringcast::detail {

/// The number of a vertex, node or cable as an index of a standard container.
[[nodiscard]] constexpr std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

}  // namespace ringcast::detail
