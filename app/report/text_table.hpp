#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// One column of a table: a title and a text for each row.
struct TableColumn {
  std::string title;
  std::vector<std::string> texts;
  /// Names are aligned to the left, numbers to the right.
  bool from_left = false;
};

/// The columns beside each other, with a line of titles that begins with #. Every column has one
/// text per row.
[[nodiscard]] std::string laid_out(std::vector<TableColumn> columns);

/// A column as a function of a row.
template <typename Row>
struct Column {
  std::string title;
  std::function<std::string(const Row&)> text;
  /// if_varied: hidden where all rows are equal; if_known: hidden where all are empty.
  enum class Shown { always, if_varied, if_known } shown = Shown::always;
  bool from_left = false;
};

[[nodiscard]] bool all_alike(const std::vector<std::string>& texts);
[[nodiscard]] bool all_empty(const std::vector<std::string>& texts);

template <typename Row>
[[nodiscard]] std::string table_of(const std::vector<Column<Row>>& columns,
                                   const std::vector<Row>& rows) {
  using Shown = typename Column<Row>::Shown;
  std::vector<TableColumn> shown;
  for (const Column<Row>& column : columns) {
    TableColumn filled{column.title, {}, column.from_left};
    for (const Row& row : rows) {
      filled.texts.push_back(column.text(row));
    }
    if ((column.shown == Shown::if_varied && all_alike(filled.texts)) ||
        (column.shown == Shown::if_known && all_empty(filled.texts))) {
      continue;
    }
    shown.push_back(std::move(filled));
  }
  return laid_out(shown);
}

/// A fixed number of decimals makes the numbers of a column comparable.
[[nodiscard]] std::string milliseconds(Seconds time, int digits = 3);
[[nodiscard]] std::string gigabytes_per_s(BytesPerSecond rate);
/// A part of 1: `12.5 %`
[[nodiscard]] std::string percent(double part, int digits = 1);
/// One line of a CSV file, fields quoted where they must be (RFC 4180).
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// A part of 1 in percent: `-4.0`. What rounds to zero has no minus sign.
[[nodiscard]] std::string signed_percent(double part);

}  // namespace ringcast
