#include "app/predict/training_messages.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/predict/async_window.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

double message_count(const PlannedTraining& planned, std::span<const int> rounds) {
  const Cell& cell = planned.cell;
  const Bytes width = size_of(cell.reduction.type);
  if (is_asynchronous(planned)) {
    const double of_all = rounds.empty() ? 1.0 * first_guess_of_rounds * cell.ranks
                                         : std::accumulate(rounds.begin(), rounds.end(), 0.0);
    return 2 * of_all * static_cast<double>(planned.options.servers.size());
  }
  return std::accumulate(planned.step.buckets.begin(), planned.step.buckets.end(), 0.0,
                         [&](double sum, const Bucket& bucket) {
                           return sum + allreduce_message_count(
                                            cell.algorithm, planned.options,
                                            travelling_elements(bucket, planned.step.compression),
                                            width);
                         });
}

void expect_simulable(double messages) {
  constexpr double most = 1e8;  // some ten minutes
  if (messages > most) {
    throw ScenarioError{fmt::format(
        "{:.2g} messages are too many to simulate (expected at most {:.0g}; take larger buckets or "
        "segments, or fewer ranks)",
        messages, most)};
  }
}

std::vector<std::uint64_t> call_sizes(const PlannedTraining& planned) {
  std::vector<std::uint64_t> sizes;
  for (const Bucket& bucket : planned.step.buckets) {
    sizes.push_back(travelling_elements(bucket, planned.step.compression));
    if (planned.step.weights_before_forward) sizes.push_back(bucket.elements);
  }
  return sizes;
}

Bytes travelling_size(const PlannedTraining& planned) {
  Bytes sum;
  for (const Bucket& bucket : planned.step.buckets) {
    sum += travelling_elements(bucket, planned.step.compression) *
           size_of(planned.cell.reduction.type);
  }
  return sum;
}

Bytes working_set(const PlannedTraining& planned) {
  return planned.step.weights_before_forward
             ? travelling_size(planned) +
                   element_count(planned.cell) * size_of(planned.cell.reduction.type)
             : travelling_size(planned);
}

bool has_plain_rings(const PlannedTraining& planned) {
  const Cell& cell = planned.cell;
  const double n = cell.ranks;
  const std::size_t channels = planned.options.channels.size();
  const double of_each = 2 * n * (n - 1) * static_cast<double>(channels);
  const std::vector<std::uint64_t> sizes = call_sizes(planned);
  return cell.algorithm == "ring" && std::ranges::all_of(sizes, [&](std::uint64_t elements) {
           return elements >= static_cast<std::uint64_t>(cell.ranks) * channels &&
                  allreduce_message_count(cell.algorithm, planned.options, elements,
                                          size_of(cell.reduction.type)) == of_each;
         });
}

Seconds expected_work(const PlannedTraining& planned, Fidelity fidelity) {
  if (!planned.calls.empty()) return work_per_ring_message;
  const bool is_ring = fidelity == Fidelity::cheapest && has_plain_rings(planned);
  return (1 + message_count(planned)) *
         (is_ring ? work_per_ring_message : work_per_message_of(fidelity));
}

}  // namespace ringcast
