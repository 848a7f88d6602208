#pragma once

#include <optional>
#include <vector>

#include "topology/rings/job_nodes.hpp"
#include "topology/rings/transfer_network.hpp"

namespace ringcast::detail {

/// The narrowest cut through the cables of the fabric, one direction of each, that separates groups
/// of a job's nodes: the least of the minimum cuts between a node of the first group and one of
/// each other group (Boost.Graph). `nodes`: one of each group. Nothing for one group, or for large
/// fabrics, where it would take long; FabricGroup::out has the cuts of regular fabrics.
[[nodiscard]] std::optional<TransferCut> narrowest_fabric_cut(const Topology& topology,
                                                              const std::vector<JobNode>& job,
                                                              const std::vector<std::size_t>& nodes,
                                                              const BoundedRings& bounded);

}  // namespace ringcast::detail
