#pragma once

#include <string>
#include <string_view>

#include "scenarios/result.hpp"

namespace ringcast {

// What all kinds of result files share, without the JSON library in sight.

/// `value`, which must be finite: JSON has no NaN and no infinity, and the library would write null
/// in silence.
[[nodiscard]] double finite(double value, std::string_view key);

/// A JSON object of the keys that every result file has under `provenance`.
[[nodiscard]] std::string to_json(const Provenance& provenance);

}  // namespace ringcast
