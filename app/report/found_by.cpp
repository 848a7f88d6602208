#include "app/report/found_by.hpp"

#include <string_view>

#include <fmt/format.h>

namespace ringcast {

bool tells_how_found(const Row& row) {
  return row.time_error_bound != 0.0 || row.found_by.starts_with("folded") ||
         row.found_by.find(',') != std::string::npos;
}

std::string found_by_text(const Row& row) {
  if (!row.time_error_bound) return row.found_by + ", error not known";
  if (*row.time_error_bound == 0) return row.found_by;
  constexpr std::string_view at_most = " at most";  // of an upper bound
  const bool both = row.found_by.ends_with(at_most);
  const std::string text =
      both ? row.found_by.substr(0, row.found_by.size() - at_most.size()) : row.found_by;
  return fmt::format("{}{} {:.2g} % less at most", text, both ? " or" : ",",
                     100 * *row.time_error_bound);
}

}  // namespace ringcast
