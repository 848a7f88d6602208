#pragma once

#include <string>

namespace ringcast {

/// A JSON list of objects as CSV (RFC 4180): the keys of the first as columns, null as nothing,
/// numbers with all their digits.
[[nodiscard]] std::string csv_of(const std::string& json_objects);

}  // namespace ringcast
