#include "app/config/scenario/searched_rings.hpp"

#include <sstream>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "engine/numbers/error.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {

const std::vector<RingOrder>& SearchedRings::of(const PlannedCell& planned) {
  const int ranks = planned.cell.ranks;
  const int channels = scenario_->channels.empty() ? 0 : planned.cell.channels.value();
  const auto known = found_.find({ranks, channels});
  if (known != found_.end()) return known->second;
  if (ranks > topology_->ranks()) {
    throw ScenarioError{fmt::format(
        "ring_order: searched for {}, but {} has {} (expected a cluster with as many, or another "
        "order)",
        counted(ranks, "rank"), topology_->cluster().name, topology_->ranks())};
  }
  const TransferPaths paths{*topology_, scenario_->transport,
                            places_of_ranks(*topology_, ranks, scenario_->transport)};
  RingSearch search;
  search.channels = channels;
  search.seed = scenario_->seed;
  return found_.emplace(std::pair{ranks, channels}, search_rings(paths, search).rings)
      .first->second;
}

void set_rings(PlannedCell& planned, const std::vector<RingOrder>& rings) {
  planned.options.channels = rings;
  planned.cell.channels = static_cast<int>(rings.size());
}

std::string text_of(const std::vector<RingOrder>& rings) {
  std::string text;
  for (const RingOrder& ring : rings) {
    for (const Rank rank : ring.ranks())
      text += fmt::format("{} ", index_of(rank));
    text.back() = '\n';
  }
  return text;
}

std::vector<RingOrder> rings_of(std::string_view text) {
  std::vector<RingOrder> rings;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers{line};
    std::vector<Rank> order;
    for (int rank = 0; numbers >> rank;)
      order.push_back(Rank{rank});
    rings.emplace_back(std::move(order));
  }
  return rings;
}

}  // namespace ringcast
