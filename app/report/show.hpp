#pragma once

#include <string>

#include "topology/routes/topology.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// A cluster as an indented tree, each cable with its bandwidth and link class: the nodes (equal
/// ones once, with all their names), then the fabric. Ends with a line feed.
[[nodiscard]] std::string text_tree(const Topology& topology);

/// A cluster for Graphviz's `dot`. Of a large one, one node of each kind and one switch of each
/// level of the fabric are drawn, with a note.
[[nodiscard]] std::string dot(const Topology& topology);

/// A cluster for other programs: the vertices, the cables by the names of their ends (absent limits
/// are null), and the vertex of each rank.
[[nodiscard]] std::string cluster_json(const Topology& topology);

/// For each kind of node a table of the paths between its GPUs, at most 16 of them, and one GPU of
/// another node, from the row to the column: the level, as in nvidia-smi topo, and the bandwidth of
/// a single transfer. Ends with a legend.
[[nodiscard]] std::string path_matrix(const TransferPaths& paths);

/// The rings of NCCL's rule for all ranks (topology/rings/channel_rings.hpp), and their bus
/// bandwidth: for each channel the GPUs of each node in the order of the ring, nodes with the same
/// order once.
[[nodiscard]] std::string ring_table(const TransferPaths& paths);

}  // namespace ringcast
