#include "topology/ring_bounds.hpp"

#include "topology/lower_bound.hpp"

namespace ringcast {

namespace {

constexpr Bytes piece{1'000'000'000};

}  // namespace

BandwidthBound ring_bound(const TransferPaths& paths) {
  return algorithm_bound(paths);
}

BandwidthBound algorithm_bound(const TransferPaths& paths) {
  const LowerBound bound = allreduce_lower_bound(paths.topology(), paths.places(), piece);
  if (paths.ranks() == 1) {
    return {BytesPerSecond{0}, bound.reason};
  }
  const double n = paths.ranks();
  return {2 * (n - 1) / n * (piece / bound.time), bound.reason};
}

}  // namespace ringcast
