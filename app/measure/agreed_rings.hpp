#pragma once

#include <map>
#include <utility>
#include <vector>

#include "app/config/scenario/plan.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// The rings of `ring_order: searched` in a measurement: rank 0 searches them for the scenario's
/// cluster, whose i-th GPU or process is rank i, and all ranks take these, since a search that its
/// time limit ends may find others.
class AgreedRings {
 public:
  /// Both must outlive this.
  AgreedRings(MpiWorld& world, const Scenario& scenario) : world_{&world}, scenario_{&scenario} {}

  /// Collective. Gives a cell with searched rings its rings; leaves others as they are. Throws
  /// ScenarioError on rank 0 for more ranks than the cluster has.
  void complete(PlannedCell& planned);

 private:
  [[nodiscard]] std::vector<RingOrder> search(const PlannedCell& planned) const;

  MpiWorld* world_;
  const Scenario* scenario_;
  std::map<std::pair<int, int>, std::vector<RingOrder>> known_;  // by ranks and channels
};

}  // namespace ringcast
