#pragma once

#include <cstdint>
#include <vector>

#include "engine/contracts/rank.hpp"

namespace ringcast {

/// A rank whose computation always takes `slowdown` times as long.
struct Straggler {
  Rank rank;
  double slowdown = 1;  // 1 or more
};

/// Why ranks do not compute equally fast: jitter, and stragglers.
struct ComputationNoise {
  /// Jitter: the standard deviation of ln(factor), where a rank's iteration takes `factor` times as
  /// long; the median is 1.
  double sigma = 0;
  std::uint64_t seed = 0;
  std::vector<Straggler> stragglers = {};
};

/// The factor by which a rank's computation is longer in one iteration. It is determined by seed,
/// rank and iteration (and the rounding of exp, log and cos on this machine), and independent
/// between them.
[[nodiscard]] double slowness(const ComputationNoise& noise, Rank rank, std::uint64_t iteration);

}  // namespace ringcast
