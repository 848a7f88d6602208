#include "app/measure/memory_needs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/available_memory.hpp"

namespace ringcast {
namespace {

/// None for an algorithm of a library.
Bytes scratch_of(const PlannedCell& planned, std::uint64_t elements) {
  const std::vector<std::string>& ours = allreduce_names();
  return std::ranges::find(ours, planned.cell.algorithm) == ours.end()
             ? Bytes{}
             : allreduce_scratch(planned.cell.algorithm, planned.options, elements,
                                 size_of(planned.cell.reduction.type));
}

}  // namespace

Bytes memory_of(const PlannedCell& planned) {
  const Cell& cell = planned.cell;
  return cell.size + scratch_of(planned, cell.size.count() / size_of(cell.reduction.type).count());
}

Bytes memory_of(const PlannedTraining& planned) {
  std::uint64_t largest = 0;
  for (const Bucket& bucket : planned.step.buckets) {
    largest = std::max(largest, bucket.elements);
  }
  const std::uint64_t buffers = planned.step.weights_before_forward ? 2 : 1;
  return buffers * planned.cell.size + scratch_of(planned, largest);
}

std::string memory_shortage(Bytes each, int ranks, const std::string& host) {
  const Bytes spare = 128_MiB;  // for everything else on the host
  const Bytes available = available_memory();
  const double needed = static_cast<double>(ranks) * static_cast<double>(each.count());
  if (needed + static_cast<double>(spare.count()) <= static_cast<double>(available.count())) {
    return "";
  }
  return fmt::format(
      "{} on {} need {} each, and {} are available there (expected a smaller size, "
      "fewer ranks, or another algorithm)",
      counted(ranks, "rank"), host, to_text(each), to_text(available));
}

}  // namespace ringcast
