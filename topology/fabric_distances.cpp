#include "topology/fabric_distances.hpp"

#include "topology/index.hpp"

namespace ringcast::detail {

namespace {

/// Answers are forgotten beyond this memory, in bytes.
constexpr std::size_t most_memory = std::size_t{128} << 20U;

}  // namespace

FabricDistances::FabricDistances(const Cluster& cluster) : numbers_(cluster.vertices.size(), -1) {
  int switches = 0;
  for (int at = 0; index(at) < numbers_.size(); ++at) {
    if (cluster.vertices[index(at)].node < 0) {
      numbers_[index(at)] = switches++;
    }
  }
  neighbours_.resize(index(switches));
  for (const Cable& cable : cluster.cables) {
    const int a = numbers_[index(cable.a)];
    const int b = numbers_[index(cable.b)];
    if (a >= 0 && b >= 0) {
      neighbours_[index(a)].push_back(b);
      neighbours_[index(b)].push_back(a);
    }
  }
}

FabricDistances::Answer FabricDistances::from(const std::vector<int>& switches) {
  if (known_.size() * neighbours_.size() * sizeof(std::uint16_t) > most_memory) {
    known_.clear();
  }
  const auto [known, is_new] = known_.try_emplace(switches);
  if (!is_new) {
    return known->second;
  }
  std::vector<std::uint16_t> distance(neighbours_.size(), unreachable);
  std::vector<int> reached;
  for (const int start : switches) {
    reached.push_back(numbers_[index(start)]);
    distance[index(reached.back())] = 0;
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int at = reached[i];
    for (const int next : neighbours_[index(at)]) {
      if (distance[index(next)] == unreachable) {
        distance[index(next)] = static_cast<std::uint16_t>(distance[index(at)] + 1);
        reached.push_back(next);
      }
    }
  }
  known->second = std::make_shared<const std::vector<std::uint16_t>>(std::move(distance));
  return known->second;
}

}  // namespace ringcast::detail
