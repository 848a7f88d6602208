#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/plan.hpp"
#include "topology/ring_search.hpp"
#include "topology/topology.hpp"

namespace ringcast {

/// The rings of `ring_order: searched`, by the number of ranks: cells of one sweep share them.
class SearchedRings {
 public:
  /// Both must outlive this.
  SearchedRings(const Scenario& scenario, const Topology& topology)
      : scenario_{&scenario}, topology_{&topology} {}

  /// Searches with the scenario's channels and seed. Throws ScenarioError for more ranks than the
  /// topology has.
  [[nodiscard]] const std::vector<RingOrder>& of(int ranks);

 private:
  const Scenario* scenario_;
  const Topology* topology_;
  std::map<int, std::vector<RingOrder>> found_;
};

/// Makes the cell run on these rings.
void take_rings(PlannedCell& planned, const std::vector<RingOrder>& rings);

/// A line for each ring, `0 2 1 3`, and back.
[[nodiscard]] std::string text_of(const std::vector<RingOrder>& rings);
[[nodiscard]] std::vector<RingOrder> rings_of(std::string_view text);

}  // namespace ringcast
