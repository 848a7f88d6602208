#pragma once

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// Throws ScenarioError on what Topology refuses of single vertices and cables: a repeated name, a
/// cable to nowhere or to itself, a rate that is zero, negative or not finite.
void check_cluster(const Cluster& cluster);

}  // namespace ringcast::detail
