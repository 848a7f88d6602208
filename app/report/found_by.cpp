#include "app/report/found_by.hpp"

#include <vector>

#include <fmt/ranges.h>

namespace ringcast {
namespace {

/// `2.8 %`, `216 %`
std::string percent_of_error(double error) {
  return error < 1 ? fmt::format("{:.2g} %", 100 * error) : fmt::format("{:.0f} %", 100 * error);
}

}  // namespace

std::string bounds_text(const Row& row) {
  const double less = row.time_error_bound.value_or(0);
  // The other times of trainings, and of rows with a range, are those of repetitions.
  const bool has_most = !row.found_by.empty() && !row.iteration && row.range_reason.empty();
  const double more = has_most ? row.time_max / row.time - 1 : 0;
  std::vector<std::string> bounds;
  if (less >= least_printed_error) bounds.push_back("-" + percent_of_error(less));
  if (more >= least_printed_error) bounds.push_back("+" + percent_of_error(more));
  return fmt::format("{}", fmt::join(bounds, " / "));
}

bool tells_how_found(const Row& row) {
  return row.found_by.starts_with("folded") ||
         (!row.found_by.empty() && found_by_text(row).find(',') != std::string::npos);
}

std::string found_by_text(const Row& row) {
  const std::string bounds = bounds_text(row);
  return row.found_by + (bounds.empty() ? "" : ", " + bounds) +
         (row.time_error_bound ? "" : ", error not known");
}

}  // namespace ringcast
