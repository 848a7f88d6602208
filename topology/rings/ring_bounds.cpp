// Upper bounds of the bus bandwidth of an all-reduce of S bytes over n ranks.
//
// Divide the ranks into m parties: single ranks, those of a PCIe switch, of a socket, of a node, of
// a leaf, or the two sides of a cut. Let C be the greatest sum of the rates of all transfers
// between parties: a maximum flow, or for the two sides twice the minimum cut.
//
//   A ring has at least m hops between parties, one out of each. All rings together send
//   2(n-1)/n S over each of their hops, which at C takes at least m 2(n-1)/n S / C. So
//       busbw <= C / m.
//   Any algorithm: at least m - 1 transfers of an element between parties precede the moment at
//   which a first party has its sum, and each other party receives at least one after that
//   (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009). That is 2(m-1) S in total,
//   and S each way across a cut. So
//       busbw <= C (n-1) / (n (m-1)).
//
//   two nodes of eight GPUs with 300 GB/s of NVLink each, and eight NICs of 25 GB/s:
//     ranks:  m = 16, C = 16 x 300 + 2 x 8 x 25 = 5,200 GB/s   rings 325   any  325
//     nodes:  m =  2, C = 2 x 8 x 25 = 400 GB/s                rings 200   any  375
//
// With parties of equal size and capacity the second is the bound that reduce-scatter and
// all-gather schedules of ForestColl reach (Zhao et al., 2024): the lowest capacity out of a set of
// ranks, divided by their fraction of all. With unequal ones theirs is lower: other algorithms,
// such as a tree with the slowest rank as a leaf, are faster than reduce-scatter and all-gather.
//
// For few ranks, a linear programme over all ring orders may give a tighter bound for rings
// (ring_mix.cpp).
#include "topology/rings/ring_bounds.hpp"

#include <fmt/format.h>

#include "topology/rings/cut_text.hpp"
#include "topology/rings/divisions.hpp"

namespace ringcast {

namespace {

/// The lowest bound. `busbw(division)`: the bound by one division.
template <typename Busbw>
BandwidthBound lowest(const TransferPaths& paths, const detail::BoundedRings& bounded,
                      const Busbw& busbw) {
  BandwidthBound bound;
  if (paths.ranks() < 2) {
    bound.reason = "nothing to exchange";
    return bound;
  }
  bound.reason = "no link between the ranks";
  const std::vector<detail::Division> divisions = detail::divisions_of(paths, bounded);
  for (const detail::Division& division : divisions) {
    const BytesPerSecond each{busbw(division)};
    if (&division == divisions.data() || each < (1 - 1e-9) * bound.busbw) {
      bound = {each, division.reason};
    }
  }
  return bound;
}

std::string filled_links(const Topology& topology, const detail::RingMix& mix) {
  const LinkId first = mix.binding.front();
  const BytesPerSecond rate = topology.links()[index_of(first)].bandwidth;
  const std::string text = detail::describe(topology, {rate, {first}});
  return mix.binding.size() == 1 ? text
                                 : fmt::format("{} links such as {}", mix.binding.size(), text);
}

}  // namespace

detail::BoundAndMix detail::ring_bound_and_mix(const TransferPaths& paths,
                                               const BoundedRings& bounded) {
  BandwidthBound bound = lowest(paths, bounded, [](const detail::Division& division) {
    return division.rate / division.parties;
  });
  if (bound.busbw == BytesPerSecond{0}) {
    return {std::move(bound), std::nullopt};
  }
  std::optional<RingMix> mix = best_ring_mix(paths, bound.busbw.value(), bounded);
  if (mix && mix->bound < (1 - 1e-5) * bound.busbw.value()) {
    bound = {BytesPerSecond{mix->bound}, "the best mix of all ring orders, which fills " +
                                             filled_links(paths.topology(), *mix)};
  }
  return {std::move(bound), std::move(mix)};
}

BandwidthBound ring_bound(const TransferPaths& paths) {
  return detail::ring_bound_and_mix(paths, {}).bound;
}

BandwidthBound algorithm_bound(const TransferPaths& paths) {
  const double n = paths.ranks();
  return lowest(paths, {}, [n](const detail::Division& division) {
    return division.rate * (n - 1) / (n * (division.parties - 1));
  });
}

}  // namespace ringcast
