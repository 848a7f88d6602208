#pragma once

#include <vector>

#include "app/config/cable_reader.hpp"
#include "app/config/input_node.hpp"
#include "topology/cluster_spec.hpp"

namespace ringcast {

/// Reads `fabric` into the matching member of `cluster`, whose nodes are known already.
void read_fabric(const InputNode& fabric, const NamedCables& named, ClusterSpec& cluster);

}  // namespace ringcast
