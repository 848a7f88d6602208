#pragma once

#include <cstddef>
#include <string>

#include "app/report/result.hpp"

namespace ringcast {

/// In a result with more rows, only the last one is explained: it has the most ranks and the
/// largest size of a sweep, and each parameter costs two more simulations of a row.
inline constexpr std::size_t most_explained_rows = 4;

/// The greater of the two changes of the time, without its sign.
[[nodiscard]] double greatest_effect(const Sensitivity& sensitivity);
/// Whether raising or lowering changes the time by at least 0.05 % for a change of 10 %, or in
/// proportion for other changes.
[[nodiscard]] bool has_effect(const Sensitivity& sensitivity);

/// The dominant parameters of each row that has sensitivities, to print below the table; empty if
/// none has.
[[nodiscard]] std::string explanation(const Result& result);

}  // namespace ringcast
