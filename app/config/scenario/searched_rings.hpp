#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/scenario/plan.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// The rings of `ring_order: searched`, which cells with the same numbers of ranks and channels
/// share.
class SearchedRings {
 public:
  using Found = std::map<std::pair<int, int>, std::vector<RingOrder>>;  // by ranks and channels

  /// `scenario` and `topology` must outlive this. `found`: the results of earlier searches.
  SearchedRings(const Scenario& scenario, const Topology& topology, Found found = {})
      : scenario_{&scenario}, topology_{&topology}, found_{std::move(found)} {}

  [[nodiscard]] const Found& found() const { return found_; }

  /// Searches with the cell's channels, if the scenario names any, and the scenario's seed.
  /// Throws ScenarioError for more ranks than the topology has.
  [[nodiscard]] const std::vector<RingOrder>& of(const PlannedCell& planned);

 private:
  const Scenario* scenario_;
  const Topology* topology_;
  Found found_;
};

/// Sets the rings of a cell.
void set_rings(PlannedCell& planned, const std::vector<RingOrder>& rings);

/// A line for each ring, `0 2 1 3`, and back.
[[nodiscard]] std::string text_of(const std::vector<RingOrder>& rings);
[[nodiscard]] std::vector<RingOrder> rings_of(std::string_view text);

}  // namespace ringcast
