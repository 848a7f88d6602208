#pragma once

#include <cstddef>
#include <string>

#include "app/report/result.hpp"

namespace ringcast {

/// A result with more rows has only the last explained: a sweep ends with what it is about, its
/// most ranks and largest size, and each number costs two more simulations of a row.
inline constexpr std::size_t most_explained_rows = 4;

/// The greater of the two changes of the time, without its sign.
[[nodiscard]] double greatest_effect(const Sensitivity& sensitivity);
/// False where raising and lowering both change the time by less than 0.05 % for a change of 10 %,
/// or the same part of another change: too little to matter.
[[nodiscard]] bool has_effect(const Sensitivity& sensitivity);

/// The dominant parameters of each row that has sensitivities, to print below the table; empty if
/// none has.
[[nodiscard]] std::string explanation(const Result& result);

}  // namespace ringcast
