#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/calibrate/pattern.hpp"

namespace ringcast {

/// The cost of one message between two undisturbed ranks. With b bytes, a latency L, an
/// overhead o, a bandwidth B, and beyond the eager limit a handshake h, the simulator takes
/// - one way of a ping-pong: L + h + o + b/B
/// - m messages of a stream: L + h + m (o + b/B), plus the acknowledgement if there is one
struct PairCost {
  Seconds latency{0};
  Seconds overhead{0};
  BytesPerSecond bandwidth;
  std::optional<Bytes> eager_limit;
  Seconds handshake{0};
};
[[nodiscard]] Seconds pair_time(const PairCost& cost, const Pattern& pattern);

/// The bandwidth of a flow of large messages, without the overheads.
[[nodiscard]] BytesPerSecond rate_of(const PatternTimes& sample, std::size_t flow,
                                     const PairCost& cost);
/// The sum over all flows, in bytes per second.
[[nodiscard]] double sum_of_rates(const PatternTimes& sample, const PairCost& cost);

/// The samples of small messages, which determine the latency, and of the largest. The rates of
/// sizes between depend on caches.
[[nodiscard]] std::vector<PatternTimes> without_caches(std::vector<PatternTimes> rows);

struct PairFit {
  PairCost cost;
  double residual = 0;  // mean absolute relative error of the rows
  double worst = 0;
  Bytes worst_size;
  Bytes least;  // the sizes that were fitted
  Bytes most;

  /// Whether predictions can rely on it: the residual is 0.01 to 0.15 on a quiet machine, 0.25 and
  /// more on a busy one.
  [[nodiscard]] bool is_close() const { return residual <= 0.2; }
};

/// Fits the samples of one pair: ping-pong, acknowledged and stream, one flow each. The fit has a
/// handshake only if that explains most of the squared residuals without it. Throws ScenarioError
/// for fewer than three samples.
[[nodiscard]] PairFit fit_pair(std::span<const PatternTimes> samples);

}  // namespace ringcast
