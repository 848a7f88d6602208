#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// Distances between switches in cables, by breadth-first search through switches only. They are
/// cached for each set of start switches: nodes of one leaf share an entry.
class FabricDistances {
 public:
  static constexpr std::uint16_t unreachable = 65'535;

  explicit FabricDistances(const Cluster& cluster);

  using Answer = std::shared_ptr<const std::vector<std::uint16_t>>;
  /// The distance of each switch, by number_of(), from the nearest of these.
  [[nodiscard]] Answer from(const std::vector<int>& switches);
  /// The number of a switch among all switches.
  [[nodiscard]] std::size_t number_of(int vertex) const {
    return static_cast<std::size_t>(numbers_[static_cast<std::size_t>(vertex)]);
  }

 private:
  std::vector<int> numbers_;                  // by vertex; -1 within nodes
  std::vector<std::vector<int>> neighbours_;  // by number
  std::map<std::vector<int>, Answer> known_;
};

}  // namespace ringcast::detail
