#pragma once

#include <string>

#include "topology/routes/topology.hpp"
#include "topology/transfers/transfer_path.hpp"

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

/// A table of the paths between the GPUs of the first node, at most 16 of them, and one of
/// the second (from the row to the column): the level and the bandwidth of one transfer by itself.
/// Ends with a legend.
[[nodiscard]] std::string path_matrix(const TransferPaths& paths);

/// The rings that NCCL's rule makes for all ranks (topology/rings/channel_rings.hpp), and the bus
/// bandwidth that they allow: for each channel the GPUs of each node in the order of the ring,
/// nodes with the same order once.
[[nodiscard]] std::string ring_table(const TransferPaths& paths);

}  // namespace ringcast
