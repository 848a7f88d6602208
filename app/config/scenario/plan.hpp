#pragma once

#include <vector>

#include "app/config/scenario/result_cell.hpp"
#include "app/config/scenario/scenario.hpp"
#include "engine/collectives/collective_options.hpp"

namespace ringcast {

/// One cell of a sweep and the options to run it with.
struct PlannedCell {
  Cell cell;
  CollectiveOptions options;
  /// With NCCL's rings, how many the job has: those of the cell are the first of them.
  std::size_t ways = 0;
  std::vector<int> hosts = {};  // a simulation's: the vertices of the servers that are no GPUs
  /// A simulation's: the scenario's transport as a tuner has set it for this cell.
  std::optional<TransportProfile> transport = {};
  /// True: it competes with the cell before it for one row, which the fastest gets (`auto` without
  /// a tuner).
  bool is_alternative = false;
  /// Why the machine cannot run it; the other cells can.
  std::optional<std::string> refusal = {};
};

/// ranks x sizes x algorithms x ring orders x channels, the ranks outermost; `node_of[r]` is the
/// node of rank r, for at least as many ranks as the sweep has. All servers are ranks that have
/// gradients too. A training has one size: all its gradients.
[[nodiscard]] std::vector<PlannedCell> plan(const Scenario& scenario,
                                            const std::vector<int>& node_of);

/// Throws ScenarioError for a refused cell, and a parameter server on a node without ranks of it.
void expect_runnable(const PlannedCell& planned, const Scenario& scenario);

}  // namespace ringcast
