#pragma once

#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Every cable that the cluster's file describes, in its order; valid as long as `cluster`.
[[nodiscard]] std::vector<CableSpec*> cables_of(ClusterSpec& cluster);

}  // namespace ringcast
