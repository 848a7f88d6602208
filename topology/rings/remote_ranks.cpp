#include "topology/rings/remote_ranks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ringcast::detail {

RemoteRanks::RemoteRanks(const TransferPaths& paths, const std::vector<JobNode>& nodes)
    : nodes_{&nodes} {
  const Cluster& cluster = paths.topology().cluster();
  std::map<int, std::set<int>> switches;  // by the number of the node in the cluster
  for (const Cable& cable : cluster.cables) {
    const int a = cluster.vertex(cable.a).node;
    const int b = cluster.vertex(cable.b).node;
    if (a >= 0 && b != a) switches[a].insert(cable.b);
    if (b >= 0 && b != a) switches[b].insert(cable.a);
  }
  std::map<std::set<int>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::size_t>& first = alike[switches[nodes[i].node]];
    if (first.size() < 2) first.push_back(i);
  }
  for (auto& [reached, first] : alike)
    examples_.push_back(std::move(first));
}

std::vector<Rank> RemoteRanks::of(std::size_t node) const {
  constexpr std::size_t most_spread = 8;
  const std::size_t others = nodes_->size() - 1;
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(most_spread, others); ++i)
    chosen.insert((node + 1 + i * others / std::min(most_spread, others)) % nodes_->size());
  for (const std::vector<std::size_t>& first : examples_) {
    const auto other = std::ranges::find_if(first, [=](std::size_t each) { return each != node; });
    if (other != first.end()) chosen.insert(*other);
  }
  std::vector<Rank> ranks;
  for (const std::size_t each : chosen) {
    const std::vector<Rank>& own = (*nodes_)[each].ranks;
    ranks.insert(ranks.end(), own.begin(), own.end());
  }
  return ranks;
}

}  // namespace ringcast::detail
