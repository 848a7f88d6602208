#pragma once

#include <vector>

#include "sim/fluid/fluid_job.hpp"

namespace ringcast {

/// Rates between which each flow of a job stays, by the number of its route.
///
/// The programs say what each operation waits for, whatever the rates are: each time is a maximum
/// of sums of earlier times, delays and durations, and none falls if a message takes longer. So
/// flows at their least rates bound the time of the job from above, flows at their greatest rates
/// from below. That holds where max-min shares by themselves do not: there a message that ends
/// later may let others end earlier.
///
/// A flow is no faster than alone on its links. And it always has its own limit, or bandwidth /
/// (crossings of all flows under way) of one of its links: the flows of its bottleneck, which is
/// full, have no more than itself. A rank has a number of streams under way at most (DryRun), so
/// that its flows cross a link that often at most, and those of all ranks as often as the sum of
/// this over the senders, or over the receivers, if that is less.
struct RateBounds {
  std::vector<BytesPerSecond> least;
  std::vector<BytesPerSecond> most;

  /// Whether no flow ever waits for another.
  [[nodiscard]] bool meet() const { return least == most; }
};

/// A job without contention, in which each flow has its rate, or less by another limit.
[[nodiscard]] FluidJob at_rates(FluidJob job, const std::vector<BytesPerSecond>& rates);

}  // namespace ringcast
