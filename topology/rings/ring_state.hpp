#pragma once

#include <vector>

#include "topology/rings/ring_load.hpp"

namespace ringcast::detail {

/// The cost that a search minimizes, in this order: seconds of the busiest link for one byte of
/// every message; the sum of the squares of these seconds over links; the sum of the hops'
/// latencies.
struct RingCost {
  double slowest = 0;
  double squares = 0;
  double latency = 0;
};

/// True if a is less by more than rounding errors of incremental sums.
[[nodiscard]] constexpr bool is_below(double a, double b) {
  return a < b * (1 - 1e-9);
}

/// The loads and latencies of a changing set of hops.
class RingState {
 public:
  explicit RingState(const TransferPaths& paths) : paths_{&paths}, loads_{paths} {}

  /// Adds a hop; -1 removes it.
  void hop(Rank from, Rank to, int messages = 1);
  void path(const std::vector<Rank>& ranks, int messages = 1);
  void ring(const std::vector<Rank>& ranks, int messages = 1);
  [[nodiscard]] RingCost cost() const { return {loads_.slowest(), loads_.squares(), latency_}; }
  /// True if the hop crosses the busiest link.
  [[nodiscard]] bool is_at_bottleneck(Rank from, Rank to) const;

 private:
  const TransferPaths* paths_;
  LinkLoads loads_;
  double latency_ = 0;
};

/// The sum of the latencies of a path's cables, in seconds.
[[nodiscard]] double latency_of(const TransferPath& path);

}  // namespace ringcast::detail
