#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

// Two directions, several at once, or a reduction are taken to hinder from this part on.
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

/// Whether combining is part of the receive, which then takes the longer of the two times, or
/// follows it, which takes their sum; and how fast it is. `alone`: what one rank combines without
/// receiving. At least one receive.
[[nodiscard]] ReductionFit fit_reduction(std::span<const CombiningReceive> receives,
                                         BytesPerSecond alone);

}  // namespace ringcast
