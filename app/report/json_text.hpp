#pragma once

#include <string>
#include <string_view>

#include "app/report/result.hpp"

namespace ringcast {

// What all kinds of result files share, without the JSON library in sight.

/// `value`, which must be finite: JSON has no NaN and no infinity, and the library would write null
/// in silence.
[[nodiscard]] double finite(double value, std::string_view key);

/// A JSON object of the keys that every result file has under `provenance`.
[[nodiscard]] std::string to_json(const Provenance& provenance);

/// A JSON object of the keys that the rows of all kinds have, and a list of the busiest links.
[[nodiscard]] std::string to_json(const Cell& cell);
[[nodiscard]] std::string to_json(const std::vector<LinkLoad>& links);

/// The key of an input number's value: it ends in the unit.
[[nodiscard]] const char* value_key(Unit unit);

/// A JSON list of objects as CSV (RFC 4180): the keys of the first as columns, null as nothing,
/// numbers with all their digits.
[[nodiscard]] std::string csv_of(const std::string& json_objects);

}  // namespace ringcast
