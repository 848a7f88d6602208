#pragma once

#include <string_view>

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Fills the `sensitivity` of the rows of `scenario`'s predictions, all-reduces or iterations of
/// training: simulates each again with every input number raised and lowered by the fraction
/// `change` (0 .. 1), on the same rings if these were searched. Rows that take no time have none. A
/// simulation that fails is added to the result's failures, and its number is omitted; so is a row
/// that Ctrl-C leaves unexplained. `kept` and `cache` provide and keep the outcomes of finished and
/// of equal simulations.
void add_sensitivity(Result& result, const Scenario& scenario, double change, int jobs,
                     const WorkProgress& progress, KeptCells* kept = nullptr,
                     CellCache* cache = nullptr);

/// `10%` as 0.1. Throws ScenarioError `--change: ... (expected ...)` for what is no percentage from
/// 1 to 50.
[[nodiscard]] double read_change(std::string_view text);

}  // namespace ringcast
