#include "app/measure/agreed_rings.hpp"

#include "app/config/scenario/searched_rings.hpp"

namespace ringcast {

void AgreedRings::complete(PlannedCell& planned) {
  if (planned.cell.ring_order != searched_rings) return;
  const std::pair key{planned.cell.ranks, planned.cell.channels.value()};
  if (!known_.contains(key)) {
    const std::string mine = world_->rank() == Rank{0} ? text_of(search(planned)) : "";
    known_.emplace(key, rings_of(world_->gather(mine).front()));
  }
  take_rings(planned, known_.at(key));
}

std::vector<RingOrder> AgreedRings::search(const PlannedCell& planned) const {
  const Topology topology{build_cluster(scenario_->cluster)};
  return SearchedRings{*scenario_, topology}.of(planned);
}

}  // namespace ringcast
