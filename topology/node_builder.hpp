#pragma once

#include <vector>

#include "topology/cluster_spec.hpp"

namespace ringcast::detail {

/// One node of a type: its vertices named without the node (`gpu0`), its cables by places among
/// those vertices. A cluster of many equal nodes copies it.
struct NodePlan {
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  std::vector<int> nics;  // places of the network cards, in order
};

/// Throws ScenarioError as build_cluster does.
[[nodiscard]] NodePlan plan_node(const NodeTypeSpec& type);

}  // namespace ringcast::detail
