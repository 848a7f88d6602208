#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The number of substitutions, insertions, deletions and transpositions of adjacent letters
/// (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `names`, if its edit_distance() is at most a third of the length of `text`, or 1.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view text,
                                                      std::span<const std::string_view> names);

/// `, did you mean "bandwidth"?` if one of `names` is near `text`, else nothing.
[[nodiscard]] std::string suggestion(std::string_view text,
                                     std::span<const std::string_view> names);

/// `a, b or c`
[[nodiscard]] std::string listed(std::span<const std::string_view> names,
                                 std::string_view last_word);

/// The names of all items; `name` is a member or a function of an item.
template <typename Things, typename Name>
[[nodiscard]] std::vector<std::string_view> names_of(const Things& things, Name name) {
  std::vector<std::string_view> names;
  std::ranges::transform(things, std::back_inserter(names), name);
  return names;
}

}  // namespace ringcast
