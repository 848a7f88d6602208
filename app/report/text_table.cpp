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

}  // namespace

bool detail::all_alike(const std::vector<std::string>& texts) {
  return std::ranges::adjacent_find(texts, std::ranges::not_equal_to{}) == texts.end();
}

std::string detail::laid_out(std::vector<FilledColumn> columns) {
  std::vector<std::string> lines(columns.front().texts.size() + 1, " ");
  lines.front() = "#";
  for (FilledColumn& column : columns) {
    if (is_hidden(column)) continue;
    std::size_t width = column.title.size();
    for (std::string& text : column.texts) {
      text = without_controls(text);
      width = std::max(width, text.size());
    }
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

std::string milliseconds(Seconds time, int digits) {
  return fmt::format("{:.{}f}", time.count() / 1e-3, digits);
}

std::string gigabytes_per_s(BytesPerSecond rate) {
  return fmt::format("{:.3f}", rate.value() / 1e9);
}

std::string gigabytes_per_s(const std::optional<BytesPerSecond>& rate) {
  return rate ? gigabytes_per_s(*rate) : "-";
}

std::string percent(double part, int digits) {
  return fmt::format("{:.{}f} %", 100 * part, digits);
}

std::string signed_percent(double part) {
  const double tenths = std::round(1000 * part);
  return fmt::format("{:+.1f}", tenths == 0 ? 0.0 : tenths / 10);
}

}  // namespace ringcast
