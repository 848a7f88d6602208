#pragma once

#include <string>

#include "app/report/result.hpp"

namespace ringcast {

/// Whether a table says how the row's time was found: some ranks stood for others, the time is a
/// bound, or something else than the simulated messages determines it.
[[nodiscard]] bool tells_how_found(const Row& row);
/// How it was found, and by how much the exact time may be less or more, from 0.01 % on: `folded to
/// 2 of 160, -6.3 % / +1.5 %`.
[[nodiscard]] std::string found_by_text(const Row& row);

}  // namespace ringcast
