#pragma once

namespace ringcast {

/// A participant in the collective: 0 .. size-1.
enum class Rank : int {};
[[nodiscard]] constexpr int index_of(Rank rank) {
  return static_cast<int>(rank);
}

}  // namespace ringcast
