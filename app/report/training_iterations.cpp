#include "app/report/training_iterations.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers/error.hpp"

namespace ringcast {

void set_times(TrainingRow& row, const std::vector<RankIteration>& ranks) {
  expect(!ranks.empty(), "an iteration of no ranks");
  const auto busiest = std::ranges::max_element(ranks, {}, [](const RankIteration& rank) {
    return std::pair{rank.compute, rank.whole};
  });
  row.compute = busiest->compute;
  row.allreduce = busiest->allreduces;
  row.iteration = std::ranges::max_element(ranks, {}, &RankIteration::whole)->whole;
  row.iteration_low = row.iteration_high = row.iteration;
}

TrainingRow merged(std::vector<TrainingRow> repetitions) {
  expect(!repetitions.empty(), "no repetition");
  std::vector<TimelineSpan> first = repetitions.front().timeline;
  std::ranges::stable_sort(repetitions, {}, &TrainingRow::iteration);
  const auto count = static_cast<double>(repetitions.size());
  const auto at = [&](double part) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(part * count))) - 1;
  };
  TrainingRow row = repetitions[at(0.5)];
  row.iteration_low = repetitions[at(0.05)].iteration;
  row.iteration_high = repetitions[at(0.95)].iteration;
  row.repetitions = static_cast<int>(repetitions.size());
  if (row.timeline.empty()) {
    row.timeline = std::move(first);
  }
  return row;
}

}  // namespace ringcast
