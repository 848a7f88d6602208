#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

// Two directions, concurrent ranks, or a reduction count as a slowdown below this relative rate.
inline constexpr double hindered_below = 0.97;

/// The rates of a receive without and with combining, in bytes per second.
struct CombiningReceive {
  double plain = 0;
  double combining = 0;
};

struct ReductionFit {
  bool fused = false;
  BytesPerSecond rate;
};

/// Fits the rate of reductions, and whether they are fused with the receive, which then takes the
/// longer of the two times instead of their sum. `alone`: the rate of one rank without receives.
/// There must be at least one receive.
[[nodiscard]] ReductionFit fit_reduction(std::span<const CombiningReceive> receives,
                                         BytesPerSecond alone);

}  // namespace ringcast
