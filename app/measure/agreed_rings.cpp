#include "app/measure/agreed_rings.hpp"

#include "app/config/searched_rings.hpp"

namespace ringcast {

void AgreedRings::complete(PlannedCell& planned) {
  const int ranks = planned.cell.ranks;
  if (planned.cell.ring_order != searched_rings) return;
  if (!known_.contains(ranks)) {
    const std::string mine = world_->rank() == Rank{0} ? text_of(search(ranks)) : "";
    known_.emplace(ranks, rings_of(world_->gather(mine).front()));
  }
  take_rings(planned, known_.at(ranks));
}

std::vector<RingOrder> AgreedRings::search(int ranks) const {
  const Topology topology{build_cluster(scenario_->cluster)};
  return SearchedRings{*scenario_, topology}.of(ranks);
}

}  // namespace ringcast
