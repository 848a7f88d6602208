#pragma once

#include "app/config/scenario/scenario.hpp"
#include "topology/cluster/cluster.hpp"

namespace ringcast {

// The machine of a scenario, with its degraded cables and with what its transport adds
// (tcp_threads.hpp).

[[nodiscard]] Cluster whole_machine(const Scenario& scenario);
/// The part that the largest of its jobs uses; all of it if a cable is degraded, which may be any.
[[nodiscard]] Cluster machine_of_jobs(const Scenario& scenario);

}  // namespace ringcast
