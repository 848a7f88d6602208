#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

namespace ringcast {

/// The value of `function`, or a member, for each item.
template <std::ranges::input_range Range, typename Function>
[[nodiscard]] auto mapped(const Range& range, Function function) {
  using Item = std::ranges::range_reference_t<const Range>;
  std::vector<std::remove_cvref_t<std::invoke_result_t<Function&, Item>>> values;
  values.reserve(std::ranges::size(range));
  std::ranges::transform(range, std::back_inserter(values), std::move(function));
  return values;
}

}  // namespace ringcast
