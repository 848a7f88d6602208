#include "engine/collectives/two_way_ring_allreduce.hpp"

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

TwoWayRingAllreduce::TwoWayRingAllreduce(const CollectiveOptions& options)
    : both_ways_{both_ways(options)} {}

double TwoWayRingAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                                     Bytes element_size) {
  return RingAllreduce::messages(both_ways(options), elements, element_size);
}

void TwoWayRingAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  both_ways_.run(request, self);
}

}  // namespace ringcast
