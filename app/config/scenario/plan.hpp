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
  /// With NCCL's rings: the number of the job's rings, of which the cell has the first.
  std::size_t rings_of_job = 0;
  /// In a simulation: the vertices of servers on CPUs.
  std::vector<int> hosts = {};
  /// In a simulation: the scenario's transport with the tuner's choice for this cell.
  std::optional<TransportProfile> transport = {};
  /// Whether it and the cell before it are alternatives: the fastest gets the row (`auto` without a
  /// tuner).
  bool is_alternative = false;
  /// Why the machine cannot run this cell.
  std::optional<std::string> refusal = {};
};

/// ranks x sizes x algorithms x ring orders x channels, the ranks outermost; `node_of[r]` is the
/// node of rank r, for at least as many ranks as the sweep has. All servers are ranks with
/// gradients of their own here. A training has one size: all its gradients.
[[nodiscard]] std::vector<PlannedCell> plan(const Scenario& scenario,
                                            const std::vector<int>& node_of);

/// Throws ScenarioError for a refused cell, and for a parameter server on a node without ranks of
/// the cell.
void expect_runnable(const PlannedCell& planned, const Scenario& scenario);

}  // namespace ringcast
