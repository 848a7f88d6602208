#pragma once

#include <string>
#include <string_view>

namespace ringcast {

/// `text` with each control or invisible character and each byte that is no UTF-8 as \xNN, but for
/// those in `kept`: a terminal obeys them, an SVG that contains one is no XML, and nobody sees why
/// two names differ. Every name from a file reaches an output through this function.
[[nodiscard]] std::string without_controls(std::string_view text, std::string_view kept = "");

}  // namespace ringcast
