#pragma once

#include <string>
#include <string_view>

namespace ringcast {

/// Escapes control characters, invisible characters and bytes that are not valid UTF-8 as \xNN,
/// except those in `kept`: terminals interpret them, XML does not allow them, and names may differ
/// in them invisibly. Every name from a file is printed through this function.
[[nodiscard]] std::string without_controls(std::string_view text, std::string_view kept = "");

}  // namespace ringcast
