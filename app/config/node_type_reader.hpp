#pragma once

#include <string>

#include "app/config/cable_reader.hpp"
#include "app/config/input_node.hpp"
#include "topology/cluster_spec.hpp"

namespace ringcast {

/// One entry of `node_types`, checked as far as one node goes.
[[nodiscard]] NodeTypeSpec read_node_type(std::string name, const InputNode& node,
                                          const NamedCables& named);

}  // namespace ringcast
