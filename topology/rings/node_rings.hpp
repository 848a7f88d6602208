#pragma once

#include <vector>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// The vertices above a rank in its node's PCIe tree, the socket first, and the rank's own vertex.
[[nodiscard]] std::vector<int> tree_path(const TransferPaths& paths, Rank rank);

/// Rings over some ranks of one node, at least one, each with an equal share of the traffic:
/// - GPUs connected by NVSwitches: one ring; the switches carry any order at the same rate.
/// - GPUs connected by NVLinks without a switch: as many rings as the links have capacity for.
/// - Others: a ring that crosses each link of the PCIe tree at most once each way, or one that uses
///   NVLinks if this reduces the load of the busiest link; also its reverse if that helps.
[[nodiscard]] std::vector<std::vector<Rank>> node_rings(const TransferPaths& paths,
                                                        const std::vector<Rank>& ranks);

}  // namespace ringcast::detail
