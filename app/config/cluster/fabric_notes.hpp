#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// What a user may not expect of a fabric, one line each: NICs of a GPU that do not count as one
/// or that other GPUs have fewer of, and NICs with several cables.
[[nodiscard]] std::vector<std::string> notes_on_fabric(const ClusterSpec& cluster);

}  // namespace ringcast
