#pragma once

#include "app/config/cable_reader.hpp"
#include "app/config/input_node.hpp"
#include "topology/cluster_spec.hpp"

namespace ringcast {

/// Attaches the NICs of a `nics` list to the tree of `type`. An entry's `at` names one
/// root complex or switch as build_cluster does within a node: `root0`, `sw3`.
void place_cards(const InputNode& nics, const NamedCables& named, NodeTypeSpec& type);

}  // namespace ringcast
