#pragma once

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// Throws ScenarioError for invalid vertices and cables: a repeated name, a cable to an unknown
/// vertex or with equal ends, a rate that is zero, negative or not finite.
void check_cluster(const Cluster& cluster);

}  // namespace ringcast::detail
