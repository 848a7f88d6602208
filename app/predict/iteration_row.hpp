#pragma once

#include <optional>
#include <span>

#include "app/config/scenario/training_plan.hpp"
#include "app/report/result.hpp"

namespace ringcast {

[[nodiscard]] Row row_without_times(const PlannedTraining& planned);

/// The row of a synchronous iteration. `times`: of each rank, or of one if all are equal, by one
/// clock that begins at 0. `timeline`: the rank whose timeline the row gets.
[[nodiscard]] Row row_of_iteration(const PlannedTraining& planned, const Training& training,
                                   std::span<const StepTimes> times, std::optional<Rank> timeline);

}  // namespace ringcast
