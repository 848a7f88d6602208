#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The number of letters changed, added, lost, or swapped with the next (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name among `names` that is near `text`, or none. Near: at most a third of the letters
/// changed, added, lost, or swapped with the next.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view text,
                                                      std::span<const std::string_view> names);

/// `, did you mean "bandwidth"?` if one of `names` is near `text`, else nothing.
[[nodiscard]] std::string suggestion(std::string_view text,
                                     std::span<const std::string_view> names);

/// `a, b or c`
[[nodiscard]] std::string listed(std::span<const std::string_view> names,
                                 std::string_view last_word);

/// The names of things; `name` is a member or a function of each.
template <typename Things, typename Name>
[[nodiscard]] std::vector<std::string_view> names_of(const Things& things, Name name) {
  std::vector<std::string_view> names;
  std::ranges::transform(things, std::back_inserter(names), name);
  return names;
}

}  // namespace ringcast
