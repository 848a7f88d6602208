#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// When a column is left out: never, if all rows have the same text, or if all texts are empty.
enum class Hidden { never, if_alike, if_empty };

namespace detail {

/// A row by a function or a member of the row itself, of its cell, or of the cell's training; empty
/// without a training.
template <typename Text, typename Row>
[[nodiscard]] std::string text_of_row(const Text& text, const Row& row) {
  if constexpr (std::invocable<const Text&, const Row&>) {
    return fmt::format("{}", std::invoke(text, row));
  } else if constexpr (std::invocable<const Text&, decltype((row.cell))>) {
    return fmt::format("{}", std::invoke(text, row.cell));
  } else {
    return row.cell.training ? fmt::format("{}", std::invoke(text, *row.cell.training)) : "";
  }
}

struct FilledColumn {
  std::string title;
  std::vector<std::string> texts;  // of each row
  Hidden hidden;
  bool from_left;
};
[[nodiscard]] std::string laid_out(std::vector<FilledColumn> columns);
[[nodiscard]] bool all_alike(const std::vector<std::string>& texts);

}  // namespace detail

/// A column by the function or the member that has its texts.
template <typename Row>
struct Column {
  /// Names are aligned to the left, numbers to the right.
  template <typename Text>
  Column(std::string heading, Text function, Hidden when = Hidden::never, bool is_name = false)
      : title{std::move(heading)},
        text{[function](const Row& row) { return detail::text_of_row(function, row); }},
        hidden{when},
        from_left{is_name} {}

  std::string title;
  std::function<std::string(const Row&)> text;
  Hidden hidden;
  bool from_left;
};

/// The table with a line of titles that begins with #.
template <typename Row>
[[nodiscard]] std::string table_of(const std::vector<Column<Row>>& columns,
                                   const std::vector<Row>& rows) {
  return detail::laid_out(mapped(columns, [&](const Column<Row>& column) {
    return detail::FilledColumn{column.title, mapped(rows, column.text), column.hidden,
                                column.from_left};
  }));
}

/// The text of the rows, by a function as for a column, if it is the same for all; else empty.
template <typename Row, typename Text>
[[nodiscard]] std::string common(const std::vector<Row>& rows, const Text& text) {
  const std::vector<std::string> texts =
      mapped(rows, [&](const Row& row) { return detail::text_of_row(text, row); });
  return !texts.empty() && detail::all_alike(texts) ? texts.front() : "";
}

/// With `digits` decimals, so that a column is aligned; below 0.1 with more, to show three
/// significant digits.
[[nodiscard]] std::string milliseconds(Seconds time, int digits = 3);
/// `1.250 .. 2.500`, with up to six digits if the two would read the same; if they still do, one.
[[nodiscard]] std::string milliseconds_between(Seconds least, Seconds most);
/// `-` for nothing.
[[nodiscard]] std::string gigabytes_per_s(const std::optional<BytesPerSecond>& rate);
/// A part of 1: `12.5 %`
[[nodiscard]] std::string percent(double part, int digits = 1);
/// A part of 1 in percent: `-4.0`. A zero after rounding has no minus sign.
[[nodiscard]] std::string signed_percent(double part);

}  // namespace ringcast
