#include "app/predict/idle_nics.hpp"

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
using NetworkNics = std::map<int, bool>;

NetworkNics nics_of(const TransferPaths& paths) {
  std::set<int> nodes;
  for (const int place : paths.places()) {
    nodes.insert(paths.topology().cluster().vertex(place).node);
  }
  NetworkNics nics;
  const bool one_node = paths.node_count() == 1;
  const std::vector<Vertex>& vertices = paths.topology().cluster().vertices;
  for (std::size_t i = 0; !one_node && i < vertices.size(); ++i) {
    if (vertices[i].kind == VertexKind::nic && nodes.contains(vertices[i].node)) {
      nics.emplace(static_cast<int>(i), false);
    }
  }
  return nics;
}

/// Marks the NICs of a link as busy; returns whether it has any.
bool mark_used(NetworkNics& nics, LinkId link, const Topology& topology) {
  // The links after the cables' directions are limits, which have no vertices.
  if (topology.links()[index_of(link)].kind != LinkKind::direction) return false;
  bool any = false;
  for (const int end : {topology.begin_of(link), topology.end_of(link)}) {
    const auto nic = nics.find(end);
    if (nic == nics.end()) continue;
    nic->second = any = true;
  }
  return any;
}

int count_idle(const NetworkNics& nics) {
  return static_cast<int>(std::ranges::count_if(nics, [](const auto& nic) { return !nic.second; }));
}

int idle_under(const std::vector<RingOrder>& rings, const TransferPaths& paths) {
  NetworkNics nics = nics_of(paths);
  for (const RingOrder& ring : rings) {
    for (const Rank rank : ring.ranks()) {
      for (const LinkId link : paths.between(rank, ring.next(rank)).main.links) {
        mark_used(nics, link, paths.topology());
      }
    }
  }
  return count_idle(nics);
}

/// As many as NCCL takes.
bool has_rings_of_nccl(const PlannedCell& planned, const Scenario& scenario) {
  return planned.cell.ring_order == nccl_rings && scenario.channels.empty();
}

/// The options that give the algorithm all of NCCL's rings, if these leave fewer NICs idle and are
/// faster. None for searched rings: they may leave NICs idle because others are slower.
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
IdleNics idle_in_nodes(const NetworkNics& nics, const TransferPaths& paths) {
  std::map<int, std::pair<int, int>> by_node;  // idle, all
  for (const auto& [nic, used] : nics) {
    auto& [idle, all] = by_node[paths.topology().cluster().vertex(nic).node];
    idle += used ? 0 : 1;
    ++all;
  }
  const std::pair<int, int> first = by_node.begin()->second;
  const bool alike =
      std::ranges::all_of(by_node, [&](const auto& node) { return node.second == first; });
  if (alike) return {true, first.first, first.second, ""};
  return {false, count_idle(nics), static_cast<int>(nics.size()), ""};
}

}  // namespace

std::vector<IdleNics> idle_nics(const std::vector<Bytes>& carried, Seconds time,
                                const TransferPaths& paths, const PlannedCell& planned,
                                const Scenario& scenario) {
  const Cell& cell = planned.cell;
  const std::uint64_t elements = element_count(cell);
  const auto shares =
      planned.options.channels.size() * static_cast<std::uint64_t>(std::max(1, cell.ranks));
  NetworkNics nics = nics_of(paths);
  if (nics.empty() || elements < shares) return {};
  Seconds busiest_nic{0};
  Seconds busiest_link{0};
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] == Bytes{0}) continue;
    const Seconds busy = carried[i] / paths.topology().links()[i].bandwidth;
    busiest_link = std::max(busiest_link, busy);
    if (mark_used(nics, LinkId{static_cast<int>(i)}, paths.topology())) {
      busiest_nic = std::max(busiest_nic, busy);
    }
  }
  const int idle = count_idle(nics);
  if (idle == 0) return {};
  IdleNics found = idle_in_nodes(nics, paths);
  if (!divides_among_channels(cell.algorithm)) return {found};
  constexpr double least_busy = 0.5;
  if (busiest_link < least_busy * time) return {};
  // NCCL takes fewer of its rings for small buffers.
  const bool few = planned.options.channels.size() < planned.rings_of_job;
  if (few && has_rings_of_nccl(planned, scenario)) return {};
  found.remedy = remedy_for(idle, paths, planned, scenario);
  // Other links determine the time, and no other rings load them less.
  if (busiest_nic < least_busy * time && found.remedy.empty()) return {};
  return {found};
}

}  // namespace ringcast
