#include "app/predict/idle_cards.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {
namespace {

/// The NICs of the job's hosts: for each vertex, whether it carried anything.
using NetworkCards = std::map<int, bool>;

NetworkCards cards_of(const TransferPaths& paths) {
  std::set<int> nodes;
  for (const int place : paths.places()) {
    nodes.insert(paths.topology().cluster().vertex(place).node);
  }
  NetworkCards cards;
  const std::vector<Vertex>& vertices = paths.topology().cluster().vertices;
  for (std::size_t i = 0; nodes.size() > 1 && i < vertices.size(); ++i) {
    if (vertices[i].kind == VertexKind::nic && nodes.contains(vertices[i].node)) {
      cards.emplace(static_cast<int>(i), false);
    }
  }
  return cards;
}

/// Marks the cards of a link as busy; returns whether it has any.
bool mark_used(NetworkCards& cards, LinkId link, const Topology& topology) {
  // The links after the cables' directions are limits, which have no vertices.
  if (topology.links()[index_of(link)].kind != LinkKind::direction) return false;
  bool any = false;
  for (const int end : {topology.begin_of(link), topology.end_of(link)}) {
    const auto card = cards.find(end);
    if (card == cards.end()) continue;
    card->second = any = true;
  }
  return any;
}

int count_idle(const NetworkCards& cards) {
  return static_cast<int>(
      std::ranges::count_if(cards, [](const auto& card) { return !card.second; }));
}

int idle_under(const std::vector<RingOrder>& rings, const TransferPaths& paths) {
  NetworkCards cards = cards_of(paths);
  for (const RingOrder& ring : rings) {
    for (const Rank rank : ring.ranks()) {
      for (const LinkId link : paths.between(rank, ring.next(rank)).main.links) {
        mark_used(cards, link, paths.topology());
      }
    }
  }
  return count_idle(cards);
}

/// As many as NCCL takes.
bool has_rings_of_nccl(const PlannedCell& planned, const Scenario& scenario) {
  return planned.cell.ring_order == nccl_rings && scenario.channels.empty();
}

/// The options that give the algorithm all of NCCL's rings, if these leave fewer cards idle and are
/// faster. None for searched rings: they may leave cards idle because others are slower.
std::string remedy_for(int idle, const TransferPaths& paths, const PlannedCell& planned,
                       const Scenario& scenario) {
  if (planned.cell.ring_order == searched_rings) return "";
  const std::vector<RingOrder> rings = channel_rings(paths);
  if (idle_under(rings, paths) >= idle) return "";
  const auto now = ring_bottleneck(paths, planned.options.channels);
  if (now && ring_bottleneck(paths, rings)->busbw <= now->busbw) return "";
  std::string channels = fmt::format("--channels {}", rings.size());
  if (planned.cell.ring_order == nccl_rings) return channels;
  const bool takes_all = scenario.channels.empty() && rings_of_nccl(paths).size() == rings.size();
  return fmt::format("--ring {}{}", nccl_rings, takes_all ? "" : " " + channels);
}

/// The same number in each node: `each node`, and that number; else the sum.
IdleCards idle_in_nodes(const NetworkCards& cards, const TransferPaths& paths) {
  std::map<int, std::pair<int, int>> by_node;  // idle, all
  for (const auto& [card, used] : cards) {
    auto& [idle, all] = by_node[paths.topology().cluster().vertex(card).node];
    idle += used ? 0 : 1;
    ++all;
  }
  const std::pair<int, int> first = by_node.begin()->second;
  const bool alike =
      std::ranges::all_of(by_node, [&](const auto& node) { return node.second == first; });
  if (alike) return {true, first.first, first.second, ""};
  return {false, count_idle(cards), static_cast<int>(cards.size()), ""};
}

}  // namespace

std::vector<IdleCards> idle_cards(const std::vector<Bytes>& carried, Seconds time,
                                  const TransferPaths& paths, const PlannedCell& planned,
                                  const Scenario& scenario) {
  const Cell& cell = planned.cell;
  const std::uint64_t elements = element_count(cell);
  const auto shares =
      planned.options.channels.size() * static_cast<std::uint64_t>(std::max(1, cell.ranks));
  NetworkCards cards = cards_of(paths);
  if (cards.empty() || elements < shares) return {};
  Seconds busiest_card{0};
  Seconds busiest_link{0};
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] == Bytes{0}) continue;
    const Seconds busy = carried[i] / paths.topology().links()[i].bandwidth;
    busiest_link = std::max(busiest_link, busy);
    if (mark_used(cards, LinkId{static_cast<int>(i)}, paths.topology())) {
      busiest_card = std::max(busiest_card, busy);
    }
  }
  const int idle = count_idle(cards);
  if (idle == 0) return {};
  IdleCards found = idle_in_nodes(cards, paths);
  if (!divides_among_channels(cell.algorithm)) return {found};
  constexpr double least_busy = 0.5;
  if (busiest_link < least_busy * time) return {};
  // NCCL takes fewer of its rings for small buffers.
  const bool few = planned.options.channels.size() < planned.rings_of_job;
  if (few && has_rings_of_nccl(planned, scenario)) return {};
  found.remedy = remedy_for(idle, paths, planned, scenario);
  // Other links determine the time, and no other rings load them less.
  if (busiest_card < least_busy * time && found.remedy.empty()) return {};
  return {found};
}

}  // namespace ringcast
