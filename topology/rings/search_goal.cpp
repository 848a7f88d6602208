#include "topology/rings/search_goal.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/node_rings.hpp"

namespace ringcast::detail {
namespace {

constexpr double little_beside_nvlinks = 0.05;
/// Sets of rings are faster if they are by more than this fraction.
constexpr double faster_by = 1e-6;

bool is_nvlink(const TransferPaths& paths, Rank from, Rank to) {
  return from == to || paths.between(from, to).kind == PathKind::nvlink;
}

bool all_pairs_have_nvlinks(const TransferPaths& paths, const std::vector<Rank>& ranks) {
  return std::ranges::all_of(ranks, [&](Rank from) {
    return std::ranges::all_of(ranks, [&](Rank to) { return is_nvlink(paths, from, to); });
  });
}

bool rings_use_nvlinks_only(const TransferPaths& paths, const std::vector<Rank>& ranks) {
  return std::ranges::all_of(node_rings(paths, ranks), [&](const std::vector<Rank>& ring) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      if (!is_nvlink(paths, ring[i], ring[(i + 1) % ring.size()])) return false;
    }
    return true;
  });
}

/// The nodes that have rings over NVLinks, and pairs of ranks that only PCIe joins.
std::set<int> nodes_with_nvlinks_and_pcie(const TransferPaths& paths) {
  std::map<int, bool> of_shape;
  std::set<int> found;
  for (const JobNode& node : job_nodes(paths)) {
    const auto [known, is_new] = of_shape.try_emplace(node.shape, false);
    if (is_new) {
      known->second =
          !all_pairs_have_nvlinks(paths, node.ranks) && rings_use_nvlinks_only(paths, node.ranks);
    }
    if (known->second) found.insert(node.node);
  }
  return found;
}

}  // namespace

SearchGoal search_goal(const TransferPaths& paths) {
  // The bounds know no network within nodes.
  if (paths.splits_nodes()) {
    throw ScenarioError{fmt::format(
        "transport {}: rings are not searched if GPUs of a node communicate over the network "
        "(expected shm: true and network_in_node: false)",
        paths.profile().name)};
  }
  auto [bound, mix] = ring_bound_and_mix(paths, {});
  const double most = bound.busbw.value();
  if (std::set<int> nodes = nodes_with_nvlinks_and_pcie(paths); !nodes.empty()) {
    auto [enough, own_mix] = ring_bound_and_mix(paths, {.nvlink_nodes = std::move(nodes)});
    if (most <= (1 + little_beside_nvlinks) * enough.busbw.value()) {
      return {std::move(bound), enough.busbw.value(), std::move(own_mix)};
    }
  }
  return {std::move(bound), most, std::move(mix)};
}

bool is_optimal(const TransferPaths& paths, std::size_t count, BytesPerSecond busbw) {
  const double more = (1 + faster_by) * busbw.value();
  const BytesPerSecond each{more / static_cast<double>(count)};
  return ring_bound_and_mix(paths, {.least_rate = each}).bound.busbw.value() <
         (1 - faster_by) * more;
}

}  // namespace ringcast::detail
