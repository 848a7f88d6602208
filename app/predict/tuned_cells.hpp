#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/config/scenario/plan.hpp"
#include "app/config/scenario/searched_rings.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// The rings for each number of ranks, and the input of NCCL's tuner for them. They are computed
/// once for all cells of a sweep, and for other scenarios on the same machine.
class TunedJobs {
 public:
  struct Job {
    std::vector<RingOrder> rings;
    std::optional<NcclMachine> machine;
  };
  /// Both must outlive this. `searched`: rings for which no search is needed.
  TunedJobs(const Scenario& scenario, const Topology& topology, SearchedRings::Found searched = {})
      : scenario_{&scenario},
        topology_{&topology},
        searched_{scenario, topology, std::move(searched)} {}

  [[nodiscard]] const SearchedRings::Found& searched() const { return searched_.found(); }

  /// Whether these also apply to another scenario's cells.
  [[nodiscard]] bool apply_to(const Scenario& scenario, const Topology& topology) const;
  [[nodiscard]] Job& of(const PlannedCell& planned);
  [[nodiscard]] const NcclMachine& machine_of(Job& job, int ranks) const;

  [[nodiscard]] TransferPaths paths_of(int ranks) const;

 private:
  const Scenario* scenario_;
  const Topology* topology_;
  SearchedRings searched_;
  std::map<std::pair<int, int>, Job> jobs_;  // by ranks, and channels of a search
};

/// Completes a cell that has its rings by the tuner's choice for its size: algorithm and protocol,
/// or for a given algorithm the protocol. Returns whether the tuner had a choice. Throws
/// ScenarioError for an algorithm that the machine does not support.
bool choose_as_nccl(PlannedCell& planned, const Scenario& scenario, const Topology& topology,
                    TunedJobs& jobs);

/// Completes cells whose rings or algorithm depend on the topology: with the rings of NCCL's
/// channels or of a search, and the tuner's choice, except for training (training_calls.hpp).
/// Refuses cells as choose_as_nccl() does, or with more channels than there are rings.
void complete_as_nccl(std::vector<PlannedCell>& cells, const Scenario& scenario,
                      const Topology& topology, TunedJobs& jobs);

/// Replaces cells whose algorithm is still `auto` by alternatives, one for each algorithm that any
/// machine can run well: rings, a tree, halving-doubling, all-to-all. The tree sends 32 segments
/// where the cell has none, unless whole chunks are asked for.
[[nodiscard]] std::vector<PlannedCell> with_alternatives(std::vector<PlannedCell> cells,
                                                         bool whole_chunks);

}  // namespace ringcast
