#include "app/predict/machine_of_scenario.hpp"

#include <algorithm>

#include "app/config/cluster/degradation.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/transfers/tcp_threads.hpp"

namespace ringcast {

Cluster whole_machine(const Scenario& scenario) {
  Cluster cluster = build_cluster(scenario.cluster);
  if (!scenario.degraded.empty()) degrade(cluster, scenario.degraded, scenario.ranks);
  return with_tcp_threads(std::move(cluster), scenario.transport);
}

Cluster machine_of_jobs(const Scenario& scenario) {
  if (!scenario.degraded.empty()) return whole_machine(scenario);
  return with_tcp_threads(build_part(scenario.cluster, std::ranges::max(scenario.ranks)),
                          scenario.transport);
}

}  // namespace ringcast
