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

/// The causes for which ranks do not compute equally fast.
struct ComputationNoise {
  /// Standard deviation of ln(factor), where an iteration of a rank takes `factor` times as long;
  /// the median is 1.
  double sigma = 0;
  std::uint64_t seed = 0;
  std::vector<Straggler> stragglers = {};
};

/// The factor by which a rank's computation is longer in one iteration. The same for the same seed,
/// rank and iteration, on any machine that rounds exp, log and cos alike; independent otherwise.
[[nodiscard]] double slowness(const ComputationNoise& noise, Rank rank, std::uint64_t iteration);

}  // namespace ringcast
