#include "app/report/training_iterations.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers/error.hpp"

namespace ringcast {

void set_times(Row& row, const std::vector<RankIteration>& ranks) {
  expect(!ranks.empty(), "an iteration of no ranks");
  const auto busiest = std::ranges::max_element(ranks, {}, [](const RankIteration& rank) {
    return std::pair{rank.compute, rank.whole};
  });
  row.iteration.value().compute = busiest->compute;
  row.iteration.value().allreduce = busiest->allreduces;
  row.time = std::ranges::max_element(ranks, {}, &RankIteration::whole)->whole;
  row.time_min = row.time_max = row.time;
}

Row merged(std::vector<Row> repetitions) {
  expect(!repetitions.empty(), "no repetition");
  std::vector<TimelineSpan> first = repetitions.front().iteration.value().timeline;
  std::ranges::stable_sort(repetitions, {}, &Row::time);
  const auto count = static_cast<double>(repetitions.size());
  const auto at = [&](double part) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(part * count))) - 1;
  };
  Row row = repetitions[at(0.5)];
  row.time_min = repetitions[at(0.05)].time_min;
  row.time_max = repetitions[at(0.95)].time_max;
  row.time_error_bound =
      std::ranges::max_element(repetitions, {}, &Row::time_error_bound)->time_error_bound;
  TrainingIteration& iteration = row.iteration.value();
  iteration.repetitions = static_cast<int>(repetitions.size());
  if (iteration.timeline.empty()) {
    iteration.timeline = std::move(first);
  }
  return row;
}

}  // namespace ringcast
