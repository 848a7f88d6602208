#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/common/mapped.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// When a column is left out: never, if all rows have the same text, or if all texts are empty.
enum class Hidden { never, if_alike, if_empty };

/// A column as a function of a row.
template <typename Row>
struct Column {
  std::string title;
  std::function<std::string(const Row&)> text;
  Hidden hidden = Hidden::never;
  /// Names are aligned to the left, numbers to the right.
  bool from_left = false;
};

namespace detail {

struct FilledColumn {
  std::string title;
  std::vector<std::string> texts;  // of each row
  Hidden hidden;
  bool from_left;
};
[[nodiscard]] std::string laid_out(std::vector<FilledColumn> columns);
[[nodiscard]] bool all_alike(const std::vector<std::string>& texts);

}  // namespace detail

/// The table with a line of titles that begins with #.
template <typename Row>
[[nodiscard]] std::string table_of(const std::vector<Column<Row>>& columns,
                                   const std::vector<Row>& rows) {
  return detail::laid_out(mapped(columns, [&](const Column<Row>& column) {
    return detail::FilledColumn{column.title, mapped(rows, column.text), column.hidden,
                                column.from_left};
  }));
}

/// `phrase` of the rows if it is the same for all, else empty.
template <typename Row, typename Phrase>
[[nodiscard]] std::string common(const std::vector<Row>& rows, const Phrase& phrase) {
  const std::vector<std::string> phrases = mapped(rows, phrase);
  return !phrases.empty() && detail::all_alike(phrases) ? phrases.front() : "";
}

/// With `digits` decimals, so that a column is aligned; below 0.1 with more, to show three
/// significant digits.
[[nodiscard]] std::string milliseconds(Seconds time, int digits = 3);
[[nodiscard]] std::string gigabytes_per_s(BytesPerSecond rate);
/// `-` for nothing.
[[nodiscard]] std::string gigabytes_per_s(const std::optional<BytesPerSecond>& rate);
/// A part of 1: `12.5 %`
[[nodiscard]] std::string percent(double part, int digits = 1);
/// A part of 1 in percent: `-4.0`. A zero after rounding has no minus sign.
[[nodiscard]] std::string signed_percent(double part);

}  // namespace ringcast
