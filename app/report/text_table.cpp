#include "app/report/text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/report/result.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {
namespace {

std::string padded(const std::string& text, std::size_t width, bool from_left) {
  return from_left ? fmt::format("  {:<{}}", text, width) : fmt::format("  {:>{}}", text, width);
}

bool is_hidden(const detail::FilledColumn& column) {
  const auto all = [&](const std::string& text) {
    return std::ranges::count(column.texts, text) == std::ssize(column.texts);
  };
  switch (column.hidden) {
    case Hidden::if_alike:
      return column.texts.empty() || all(column.texts.front());
    case Hidden::if_empty:
      return all("");
    case Hidden::never:
      break;
  }
  return false;
}

std::string csv_field(const std::string& raw) {
  std::string text = without_controls(raw, "\r\n\t");
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

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

std::string percent(double part, int digits) {
  return fmt::format("{:.{}f} %", 100 * part, digits);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += (&field == &fields.front() ? "" : ",") + csv_field(field);
  }
  return line + "\r\n";
}

std::string signed_percent(double part) {
  const double tenths = std::round(1000 * part);
  return fmt::format("{:+.1f}", tenths == 0 ? 0.0 : tenths / 10);
}

}  // namespace ringcast
