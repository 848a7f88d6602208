#include "app/config/scenario/plan.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/config/cluster/nvlink_domains.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The first rank of each of `nodes`. Nodes without ranks are left out; expect_runnable() refuses
/// them.
std::vector<Rank> servers_on(const std::vector<int>& nodes, const std::vector<int>& node_of) {
  std::vector<Rank> servers;
  for (const int node : nodes) {
    const auto first = std::find(node_of.begin(), node_of.end(), node);
    if (first != node_of.end()) {
      servers.push_back(Rank{static_cast<int>(first - node_of.begin())});
    }
  }
  return servers;
}

/// The number of nodes among those of the ranks, unless hosts are parts of nodes.
std::optional<int> nodes_of(const ClusterSpec& cluster, const std::vector<int>& used) {
  if (std::ranges::any_of(cluster.node_types, is_several_hosts)) return std::nullopt;
  return static_cast<int>(std::set<int>{used.begin(), used.end()}.size());
}

/// `used`: the node of each rank of the cell.
PlannedCell planned(const Scenario& scenario, const std::vector<int>& used, Bytes size,
                    const std::string& algorithm, const RingChoice& ring, int channels) {
  const int ranks = static_cast<int>(used.size());
  PlannedCell cell{{ranks, size, algorithm, scenario.reduction, scenario.transport.name, ring.name,
                    channels, scenario.segment_size},
                   {orders(ring, ranks, channels, used, scenario.seed), scenario.segment_size, used,
                    servers_on(scenario.parameter_servers, used)}};
  cell.options.serve_at_once = scenario.served_at_once;
  return cell;
}

std::vector<int> channels_of(const Scenario& scenario, const RingChoice& ring) {
  if (!scenario.channels.empty()) return scenario.channels;
  return {std::max(1, static_cast<int>(ring.given.size()))};
}

std::vector<Bytes> sizes_of(const Scenario& scenario) {
  return scenario.training
             ? std::vector{scenario.training->parameters * size_of(scenario.reduction.type)}
             : scenario.sizes;
}

}  // namespace

std::vector<PlannedCell> plan(const Scenario& scenario, const std::vector<int>& node_of) {
  const std::vector<Bytes> sizes = sizes_of(scenario);
  std::vector<PlannedCell> cells;
  for (const int ranks : scenario.ranks) {
    expect(ranks <= static_cast<int>(node_of.size()), "{} ranks, but nodes for {}", ranks,
           node_of.size());
    const std::vector<int> used{node_of.begin(), node_of.begin() + ranks};
    const std::optional<int> nodes = nodes_of(scenario.cluster, used);
    for (const Bytes size : sizes) {
      for (const std::string& algorithm : scenario.algorithms) {
        for (const RingChoice& ring : scenario.ring_orders) {
          for (const int channels : channels_of(scenario, ring)) {
            cells.push_back(planned(scenario, used, size, algorithm, ring, channels));
            cells.back().cell.nodes = nodes;
          }
        }
      }
    }
  }
  return cells;
}

void expect_runnable(const PlannedCell& planned, const Scenario& scenario) {
  if (planned.refusal) throw ScenarioError{*planned.refusal};
  if (!has_servers(planned.cell.algorithm)) {
    return;
  }
  const std::vector<int>& used = planned.options.node_of;
  for (const int node : scenario.parameter_servers) {
    if (std::find(used.begin(), used.end(), node) == used.end()) {
      throw ScenarioError{fmt::format(
          "parameter_servers: node {} has none of the first {} ranks (expected a node that has, or "
          "more ranks)",
          node, used.size())};
    }
  }
}

}  // namespace ringcast
