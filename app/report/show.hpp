#pragma once

#include <string>

#include "topology/topology.hpp"

namespace ringcast {

/// A cluster as an indented tree, each cable with its bandwidth and link class: the nodes (those
/// that are alike once, under all their names), then the fabric. Ends with a line feed.
[[nodiscard]] std::string text_tree(const Topology& topology);

/// A cluster for Graphviz's `dot`. A large one is drawn with one of each set of nodes that are
/// alike and one of each level of its fabric, and says so.
[[nodiscard]] std::string dot(const Topology& topology);

/// A cluster for other programs: the vertices, the cables between them by the names of their ends
/// (limits that there are none of are null), and the vertex of each rank.
[[nodiscard]] std::string cluster_json(const Topology& topology);

}  // namespace ringcast
