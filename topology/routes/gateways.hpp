#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// A vertex at which routes leave or enter a node: a NIC, or a GPU that is cabled to the
/// fabric.
struct Gateway {
  int vertex;
  std::uint64_t cost;            // of the route between it and a device within the node
  std::vector<int> beyond = {};  // the switches, or NICs of other nodes, that it is cabled to
};

/// The connected component of the fabric of each vertex; -1 within nodes.
[[nodiscard]] std::vector<int> fabric_parts(const Cluster& cluster);

/// Removes each gateway of a device if every component behind it has a nearer one.
[[nodiscard]] std::vector<Gateway> nearest_in_parts(std::vector<Gateway> gateways,
                                                    const std::vector<int>& parts);

/// The gateways of the sender's and of the receiver's node with the least sum of costs, among the
/// pairs that a component of the fabric or a cable connects; none if there is no such pair. A
/// device uses the NIC next to it, as in NCCL and UCX, even if a farther one is on the peer's
/// leaf.
[[nodiscard]] std::pair<std::vector<Gateway>, std::vector<Gateway>> nearest_gateways(
    const std::vector<Gateway>& out, const std::vector<Gateway>& in, const std::vector<int>& parts);

}  // namespace ringcast::detail
