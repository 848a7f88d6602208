#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringcast {

/// `, did you mean "bandwidth"?` if one of `names` is near `text`, else nothing. Near: at most a
/// third of the letters changed, added, lost, or swapped with the next.
[[nodiscard]] std::string suggestion(std::string_view text,
                                     std::span<const std::string_view> names);

/// `a, b or c`
[[nodiscard]] std::string listed(std::span<const std::string_view> names,
                                 std::string_view last_word);

}  // namespace ringcast
