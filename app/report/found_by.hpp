#pragma once

#include <string>

#include "app/report/result.hpp"

namespace ringcast {

/// Smaller relative differences are not printed: other programs print fewer digits of a time.
inline constexpr double least_printed_error = 1e-4;
/// `-6.3 % / +1.5 %`: by how much the exact time may be less and more; empty: negligibly.
[[nodiscard]] std::string bounds_text(const Row& row);
/// Whether a table states how the row's time was found: by folding, as a bound, or by a cost that
/// is not that of simulated messages.
[[nodiscard]] bool tells_how_found(const Row& row);
/// How it was found, with these bounds: `folded to 2 of 160, -6.3 % / +1.5 %`.
[[nodiscard]] std::string found_by_text(const Row& row);

}  // namespace ringcast
