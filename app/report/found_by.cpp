#include "app/report/found_by.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

namespace ringcast {
namespace {

constexpr double least_percent = 0.01;  // less than other programs print of a time

/// The percent of a part such as `2.5 % more at most`.
double percent_in(std::string_view part) {
  return std::strtod(std::string{part.substr(part.find_first_of("0123456789"))}.c_str(), nullptr);
}

/// `-6.3 % / +1.5 %`: by how much the exact time may be less and more.
std::string bounds_text(double less, double more) {
  std::vector<std::string> bounds;
  if (less >= least_percent) bounds.push_back(fmt::format("-{:.2g} %", less));
  if (more >= least_percent) bounds.push_back(fmt::format("+{:.2g} %", more));
  return fmt::format("{}", fmt::join(bounds, " / "));
}

}  // namespace

bool tells_how_found(const Row& row) {
  return row.found_by.starts_with("folded") ||
         (!row.found_by.empty() && found_by_text(row).find(',') != std::string::npos);
}

std::string found_by_text(const Row& row) {
  constexpr std::string_view separator = ", ";
  std::vector<std::string> parts;
  std::string lengths;
  double more = 0;
  std::string_view rest = row.found_by;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(part.size() + separator.size(), rest.size()));
    if (part.ends_with(" more at most")) {
      more = percent_in(part);
    } else if (part.starts_with("chunks up to ")) {
      lengths = percent_in(part) >= least_percent ? part : "";
    } else {
      parts.emplace_back(part);
    }
  }
  const std::string bounds = bounds_text(100 * row.time_error_bound.value_or(0), more);
  // The bounds include what the lengths change.
  if (const std::string& last = bounds.empty() ? lengths : bounds; !last.empty()) {
    parts.push_back(last);
  }
  if (!row.time_error_bound) parts.emplace_back("error not known");
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace ringcast
