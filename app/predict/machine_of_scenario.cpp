#include "app/predict/machine_of_scenario.hpp"

#include <algorithm>

#include "topology/cluster/part_of_cluster.hpp"
#include "topology/transfers/tcp_threads.hpp"

namespace ringcast {

Cluster whole_machine(const Scenario& scenario) {
  return with_tcp_threads(build_cluster(scenario.cluster), scenario.transport);
}

Cluster machine_of_jobs(const Scenario& scenario) {
  return with_tcp_threads(build_part(scenario.cluster, std::ranges::max(scenario.ranks)),
                          scenario.transport);
}

}  // namespace ringcast
