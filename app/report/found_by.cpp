#include "app/report/found_by.hpp"

#include <fmt/format.h>

namespace ringcast {

bool tells_how_found(const Row& row) {
  return row.time_error_bound != 0.0 || row.found_by.starts_with("folded");
}

std::string found_by_text(const Row& row) {
  if (!row.time_error_bound) return row.found_by + ", error not known";
  if (*row.time_error_bound == 0) return row.found_by;
  return fmt::format("{}, {:.2g} % less at most", row.found_by, 100 * *row.time_error_bound);
}

}  // namespace ringcast
