#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// A vertex at which routes leave or enter a node: a network card, or a GPU that is cabled to the
/// fabric.
struct Door {
  int vertex;
  std::uint64_t cost;            // of the way from or to it within the node
  std::vector<int> beyond = {};  // the switches, or cards of other nodes, that it is cabled to
};

/// Numbers the connected parts of the fabric: by vertex, -1 within nodes.
[[nodiscard]] std::vector<int> fabric_parts(const Cluster& cluster);

/// Leaves out doors of a device where each part of the fabric behind them has a nearer one.
[[nodiscard]] std::vector<Door> nearest_in_parts(std::vector<Door> doors,
                                                 const std::vector<int>& parts);

/// The doors of the sender's and of the receiver's node that are nearest together among those that
/// a part of the fabric or a cable joins; none if no two are joined. A device uses the card next to
/// it, as NCCL and UCX do, even if a farther one is on the peer's leaf.
[[nodiscard]] std::pair<std::vector<Door>, std::vector<Door>> nearest_doors(
    const std::vector<Door>& out, const std::vector<Door>& in, const std::vector<int>& parts);

}  // namespace ringcast::detail
