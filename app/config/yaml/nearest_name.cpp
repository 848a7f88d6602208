#include "app/config/yaml/nearest_name.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ringcast {

namespace {

constexpr std::size_t longest_compared = 64;

}  // namespace

// Keeps three rows of the dynamic programming table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
  }
  return current[b.size()];
}

std::optional<std::string> nearest_name(std::string_view text,
                                        std::span<const std::string_view> names) {
  if (text.size() > longest_compared) return std::nullopt;
  std::size_t least = std::max<std::size_t>(text.size() / 3, 1) + 1;
  std::optional<std::string> nearest;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view text, std::span<const std::string_view> names) {
  const auto nearest = nearest_name(text, names);
  return nearest ? fmt::format(", did you mean \"{}\"?", *nearest) : "";
}

std::string listed(std::span<const std::string_view> names, std::string_view last_word) {
  if (names.empty()) return "none";
  if (names.size() == 1) return std::string{names.front()};
  return fmt::format("{} {} {}", fmt::join(names.first(names.size() - 1), ", "), last_word,
                     names.back());
}

}  // namespace ringcast
