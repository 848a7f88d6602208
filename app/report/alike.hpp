#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// Nodes of one type with the same cables to the fabric.
struct AlikeNodes {
  std::vector<int> nodes;  // ascending; the first represents all
  std::string label;       // `node0 .. node4 (5 x gpu-node)`
};
[[nodiscard]] std::vector<AlikeNodes> alike_nodes(const Cluster& cluster);

/// The name of a vertex's node: that before the point, `node0` of `node0.sw1`, or else its number.
[[nodiscard]] std::string node_name(const Vertex& vertex);
/// `sw1` of `node0.sw1`
[[nodiscard]] std::string local_name(const std::string& name);

/// Names with runs of numbers abbreviated: `leaf0 .. leaf7`, `node0.nic1 .. node3.nic1`, `a, b,
/// ..., z`.
[[nodiscard]] std::string in_short(std::span<const std::string> names);

/// `6 GB/s infiniband-fdr-4x`
[[nodiscard]] std::string rate_of(const Cable& cable);

/// A full mesh of equal cables between the sockets of a node: in a rack of 36 sockets, 630 cables.
struct SocketMesh {
  std::set<std::size_t> cables;  // indices; empty: there is no full mesh of three or more sockets
  std::string text;  // `node0.socket0 .. node0.socket35  73.6 GB/s cnvlink between each two`
};
[[nodiscard]] SocketMesh socket_mesh(const Cluster& cluster, int node);

/// The sockets of a node, if they are many and look alike, as those of the hosts that an NVLink
/// domain joins: the vertices of each, the socket first, then those below it, in the same order.
/// Empty: the sockets are few, or differ, or cables join devices of several.
[[nodiscard]] std::vector<std::vector<int>> alike_sockets(const Cluster& cluster, int node);

/// Whether the second end of a cable within a node is below the first, unless it is above.
[[nodiscard]] bool leads_down(const Vertex& from, const Vertex& to);

}  // namespace ringcast::detail
