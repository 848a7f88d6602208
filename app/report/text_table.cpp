#include "app/report/text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/report/result.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {
namespace {

std::string padded(const std::string& text, std::size_t width, bool from_left) {
  return from_left ? fmt::format("  {:<{}}", text, width) : fmt::format("  {:>{}}", text, width);
}

bool is_hidden(const detail::FilledColumn& column) {
  const bool alike = detail::all_alike(column.texts);
  return column.hidden == Hidden::if_alike
             ? alike
             : column.hidden == Hidden::if_empty && alike &&
                   (column.texts.empty() || column.texts.front().empty());
}

/// Aligns decimal points if all texts are numbers.
void align_points(std::vector<std::string>& texts) {
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of(".0123456789", text.find_first_not_of("-+")) == std::string::npos;
  };
  if (!std::ranges::all_of(texts, is_number)) return;
  const auto decimals = [](const std::string& text) {
    return text.size() - std::min(text.find('.'), text.size());
  };
  std::size_t most = 0;
  for (const std::string& text : texts)
    most = std::max(most, decimals(text));
  for (std::string& text : texts)
    text.append(text == "-" ? 0 : most - decimals(text), ' ');
}

/// The number of decimals, from `least` to 6, that shows three significant digits.
int decimals_of(double value, int least) {
  constexpr int most = 6;
  int decimals = least;
  for (double shown = value * std::pow(10, least); value > 0 && shown < 99.5 && decimals < most;
       shown *= 10) {
    ++decimals;
  }
  return decimals;
}

std::string number(double value, int digits) {
  return fmt::format("{:.{}f}", value, decimals_of(value, digits));
}

}  // namespace

bool detail::all_alike(const std::vector<std::string>& texts) {
  return std::ranges::adjacent_find(texts, std::ranges::not_equal_to{}) == texts.end();
}

std::string detail::laid_out(std::vector<FilledColumn> columns) {
  std::vector<std::string> lines(columns.front().texts.size() + 1, " ");
  lines.front() = "#";
  for (FilledColumn& column : columns) {
    if (is_hidden(column)) continue;
    for (std::string& text : column.texts)
      text = without_controls(text);
    if (!column.from_left) align_points(column.texts);
    std::size_t width = column.title.size();
    for (const std::string& text : column.texts)
      width = std::max(width, text.size());
    lines.front() += padded(column.title, width, column.from_left);
    for (std::size_t i = 0; i < column.texts.size(); ++i) {
      lines[i + 1] += padded(column.texts[i], width, column.from_left);
    }
  }
  std::string table;
  for (const std::string& line : lines) {
    table += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return table;
}

std::string to_text(const Band& band, int digits) {
  return fmt::format("{}-{}", milliseconds(band.low, digits), milliseconds(band.high, digits));
}

std::string time_text(const Row& row) {
  const std::string band = row.band.empty() ? "" : fmt::format(" ({})", to_text(row.band.front()));
  return milliseconds(row.time) + band;
}

std::string milliseconds(Seconds time, int digits) {
  return number(time.count() / 1e-3, digits);
}

std::string milliseconds_between(Seconds least, Seconds most) {
  constexpr int most_digits = 6;
  int digits = 3;
  while (digits < most_digits && milliseconds(least, digits) == milliseconds(most, digits)) {
    ++digits;
  }
  const std::string from = milliseconds(least, digits);
  const std::string to = milliseconds(most, digits);
  return from == to ? milliseconds(least) : fmt::format("{} .. {}", from, to);
}

std::string gigabytes_per_s(const std::optional<BytesPerSecond>& rate) {
  return rate ? number(rate->value() / 1e9, 3) : "-";
}

std::string percent(double part, int digits) {
  return fmt::format("{:.{}f} %", 100 * part, digits);
}

std::string signed_percent(double part) {
  const double tenths = std::round(1000 * part);
  return fmt::format("{:+.1f}", tenths == 0 ? 0.0 : tenths / 10);
}

}  // namespace ringcast
