#pragma once

#include <optional>
#include <vector>

#include "topology/rings/bounded_rings.hpp"

namespace ringcast::detail {

/// Rings with unequal shares of a buffer, chosen to maximize the sum of their bus bandwidths.
struct RingMix {
  std::vector<std::vector<Rank>> rings;
  std::vector<double> rates;    // of each ring, in bytes per second of bus bandwidth
  double bound = 0;             // no mix of rings has a higher sum
  std::vector<LinkId> binding;  // the links that limit the sum
};

/// The best mix over all ring orders. Its bound holds for all rings, since k equal rings are a mix.
/// Nothing for fewer than three ranks, for more than most_vertices_of_shortest_cycle, or if a ring
/// crosses no link. The search ends when it reaches `enough`, a known bound.
[[nodiscard]] std::optional<RingMix> best_ring_mix(const TransferPaths& paths, double enough,
                                                   const BoundedRings& bounded = {});

/// The rings of a mix, each as many times as its share of `count` equal rings requires.
[[nodiscard]] std::vector<std::vector<Rank>> equal_rings(const RingMix& mix, std::size_t count);

}  // namespace ringcast::detail
