#pragma once

#include <string>
#include <vector>

namespace ringcast {

/// One column of a table: a title and a text for each row.
struct TableColumn {
  std::string title;
  std::vector<std::string> texts;
  /// Names are easier to read from the left, numbers from the right.
  bool from_left = false;
};

/// The columns beside each other, with a line of titles that begins with #. Every column has one
/// text per row.
[[nodiscard]] std::string laid_out(const std::vector<TableColumn>& columns);

[[nodiscard]] bool all_alike(const std::vector<std::string>& texts);

/// One line of a CSV file, fields quoted where they must be (RFC 4180).
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// A part of 1 in percent: `-4.0`. Without a minus for what rounds to nothing.
[[nodiscard]] std::string signed_percent(double part);

}  // namespace ringcast
