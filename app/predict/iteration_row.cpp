#include "app/predict/iteration_row.hpp"

#include <algorithm>

#include "app/common/mapped.hpp"
#include "app/report/training_iterations.hpp"

namespace ringcast {

Row row_without_times(const PlannedTraining& planned) {
  Row row;
  row.cell = planned.cell;
  row.iteration.emplace().one_gpu_samples_per_s = planned.one_gpu_samples_per_s;
  return row;
}

Row row_of_iteration(const PlannedTraining& planned, const Training& training,
                     std::span<const StepTimes> times, std::optional<Rank> timeline) {
  Row row = row_without_times(planned);
  set_times(row, mapped(times, [](const StepTimes& rank) {
              return RankIteration{rank.whole.end, rank.compute, rank.in_allreduces()};
            }));
  if (timeline && index_of(*timeline) < planned.cell.ranks) {
    const std::size_t place =
        std::min(static_cast<std::size_t>(index_of(*timeline)), times.size() - 1);
    row.iteration->timeline = timeline_of(training, planned.step, times[place]);
  }
  return row;
}

}  // namespace ringcast
