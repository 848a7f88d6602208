#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// Makes cables of a cluster slower, or removes them, as `--degrade` says it:
/// `node4.nic0=3GB/s,leaf0 - spine1=missing`.
///
/// - A cable is named as `ringcast show` and the tables do, `a - b` or `a -> b` (both directions
///   change). A device stands for its only cable, a network card for its only one to the network.
///   Each change takes another one of parallel cables.
/// - `missing` or `0` removes it; a rate must be below that of the cable.
///
/// Returns a text for each, `node4.nic0 - switch0: 3 GB/s instead of 25 GB/s`. Throws
/// ScenarioError, with the nearest name, for names that do not exist.
std::vector<std::string> degrade(Cluster& cluster, std::string_view text);

/// Throws ScenarioError, which names the option, if missing cables part ranks.
[[nodiscard]] Topology degraded_topology(Cluster cluster);

}  // namespace ringcast
