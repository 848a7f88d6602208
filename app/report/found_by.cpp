#include "app/report/found_by.hpp"

#include <fmt/format.h>

namespace ringcast {

bool tells_how_found(const Row& row) {
  return row.time_error_bound > 0 || row.found_by.starts_with("folded");
}

std::string found_by_text(const Row& row) {
  if (row.time_error_bound <= 0) return row.found_by;
  // A bound of the time where no message waits for another's bandwidth.
  const std::string_view what = row.found_by == "recurrence" ? "{}, {:.2g} % less at most"
                                                             : "{}, chunks up to {:.2g} % longer";
  return fmt::format(fmt::runtime(what), row.found_by, 100 * row.time_error_bound);
}

}  // namespace ringcast
