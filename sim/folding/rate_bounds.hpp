#pragma once

#include <vector>

#include "sim/fluid/fluid_job.hpp"

namespace ringcast {

/// Bounds of the rate of each flow of a job, by the number of its route.
///
/// Which operations a program waits for does not depend on rates. So each time is a maximum of sums
/// of earlier times, delays and durations, and it does not decrease if a message takes longer. A
/// simulation in which every flow has its least rate therefore bounds the time of the job from
/// above, and one with the greatest rates bounds it from below. A simulation with max-min fair
/// sharing is not monotonic in this way: a message that ends later may let others end earlier.
///
/// Greatest rate: that of the flow alone on its links. Least rate: the least of the flow's own
/// limit and, over its links, bandwidth / (crossings of all flows at once), because its bottleneck
/// is full and no flow there is faster. Crossings: the number of streams that a rank uses at once
/// (DryRun) limits how often its flows cross a link. The sum of these limits over all senders
/// bounds the crossings of the link, and so does the sum over all receivers.
struct RateBounds {
  std::vector<BytesPerSecond> least;
  std::vector<BytesPerSecond> most;

  /// Whether the bounds are equal: no flow competes with another.
  [[nodiscard]] bool meet() const { return least == most; }
};

/// The job without contention: each flow has its rate of `rates`, or its own limit if that is less.
[[nodiscard]] FluidJob at_rates(FluidJob job, const std::vector<BytesPerSecond>& rates);

}  // namespace ringcast
