#pragma once

#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// A template for the nodes of a type: vertices have names without the node (`gpu0`), cables the
/// indices of these vertices.
struct NodePlan {
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  std::vector<int> nics;  // indices of the NICs, in order
};

[[nodiscard]] NodePlan plan_node(const NodeTypeSpec& type);

}  // namespace ringcast::detail
