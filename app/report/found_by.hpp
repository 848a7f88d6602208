#pragma once

#include <string>

#include "app/report/result.hpp"

namespace ringcast {

/// Whether a table states how the row's time was found: by folding, as a bound, or by a cost that
/// is not that of simulated messages.
[[nodiscard]] bool tells_how_found(const Row& row);
/// How it was found, and by how much the exact time may be less or more, if by 0.01 % or more:
/// `folded to 2 of 160, -6.3 % / +1.5 %`.
[[nodiscard]] std::string found_by_text(const Row& row);

}  // namespace ringcast
