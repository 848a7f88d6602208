#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "scenarios/predict.hpp"
#include "scenarios/result.hpp"
#include "scenarios/scenario.hpp"

namespace ringcast {

/// Of a result with more rows only the last is explained: a sweep ends with what it is about, its
/// most ranks and largest size, and each number costs two more simulations of a row.
inline constexpr std::size_t most_explained_rows = 4;

/// Fills the `sensitivity` of the rows of `scenario`'s predictions: simulates each again with every
/// input number raised by `change`, a part of it (0 .. 1), and lowered by it. Rows that take no
/// time have none. What fails is added to the result's failures, and its number left out. Of the
/// options, jobs and progress count. Throws Interrupted on Ctrl-C.
void add_sensitivity(Result& result, const Scenario& scenario, double change,
                     const PredictOptions& options);

/// False where raising and lowering both change the time by less than 0.05 % for a change of 10 %,
/// or the same part of another change: nobody will look for an error there.
[[nodiscard]] bool has_effect(const Sensitivity& sensitivity);

/// `10%` as 0.1. Throws ScenarioError `--change: ... (expected ...)` for what is no percentage from
/// 1 to 50.
[[nodiscard]] double read_change(std::string_view text);

/// For people: what decides each row that has a sensitivity, below the table of rows; empty if
/// there is none.
[[nodiscard]] std::string explanation(const Result& result);

}  // namespace ringcast
