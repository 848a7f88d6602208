#pragma once

#include <optional>
#include <vector>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// Rings with any shares of a buffer, such that their bus bandwidths add up to the highest sum.
struct RingMix {
  std::vector<std::vector<Rank>> rings;
  std::vector<double> rates;   // of each ring, in bytes per second of bus bandwidth
  double bound = 0;            // no mix of rings has a higher sum
  std::vector<LinkId> scarce;  // the links that decide
};

/// The best mix of all ring orders, which bounds all rings: a set of k equal rings is a mix. PCIe
/// cables beside NVLinks count as in ring_bound(). Nothing for fewer than three ranks, or for more
/// than most_vertices_of_shortest_cycle, or where a ring crosses no link. The search ends at
/// `enough`, a bound that is known already.
[[nodiscard]] std::optional<RingMix> best_ring_mix(const TransferPaths& paths, double enough);

/// The rings of a mix, each as many times as its share of `count` equal rings requires.
[[nodiscard]] std::vector<std::vector<Rank>> equal_rings(const RingMix& mix, std::size_t count);

}  // namespace ringcast::detail
