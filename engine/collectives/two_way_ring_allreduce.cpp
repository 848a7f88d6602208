#include <utility>

#include "engine/collectives/algorithms.hpp"

// Two-way ring: a ring all-reduce of half of each channel's share over the channel's ring, and one
// of the other half over the reversed ring. For 4 ranks and one channel:
//
//   first half    0 -> 1 -> 2 -> 3 -> 0        second half    0 <- 1 <- 2 <- 3 <- 0
//
// A one-way ring uses one direction of each full-duplex cable between neighbours; this uses both.
// If the neighbours of a rank are on two cables, it halves the bandwidth term:
//   T = 2(n-1) (a + S/(2n b))    for whole chunks and a reduction that takes no time;
// if both are on the rank's only cable, it takes the ring's time (rival_closed_form_test).
namespace ringcast {
namespace {

CollectiveOptions both_ways(const CollectiveOptions& options) {
  CollectiveOptions both{{}, options.segment_size};
  for (const RingOrder& ring : options.channels) {
    both.channels.push_back(ring);
    both.channels.emplace_back(std::vector<Rank>{ring.ranks().rbegin(), ring.ranks().rend()});
  }
  return both;
}

}  // namespace

std::vector<RingOrder> rings_of_two_way_ring(const CollectiveOptions& options) {
  return both_ways(options).channels;
}

double two_way_ring_messages(const CollectiveOptions& options, std::uint64_t elements,
                             Bytes element_size) {
  return ring_messages(both_ways(options), elements, element_size);
}

std::uint64_t two_way_ring_chunks(const CollectiveOptions& options) {
  return 2 * ring_chunks(options);
}

RankPart two_way_ring_allreduce(CollectiveOptions options) {
  options = both_ways(options);
  return ring_allreduce(std::move(options));
}

}  // namespace ringcast
