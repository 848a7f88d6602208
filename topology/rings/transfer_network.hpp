#pragma once

#include <optional>
#include <vector>

#include "topology/rings/bounded_rings.hpp"
#include "topology/rings/flow_network.hpp"
#include "topology/rings/job_nodes.hpp"

namespace ringcast::detail {

// The transfers that the ranks of one node can make at the same time, as flows (Boost.Graph).
//
// Each link of a transfer path is an arc of the link's capacity. Two arcs are connected if their
// links follow each other on a path. All sets of transfers are flows in this network, so its
// minimum cuts bound them. The outside of the node is one more party, limited by the node's own
// cables only. `remote`: ranks of other nodes that represent all of them; empty for a job on one
// node.

/// The greatest rate at which all ranks together can send to other groups and to the outside.
/// `group_of`: the group of each rank; transfers within a group do not count.
[[nodiscard]] TransferCut outgoing_transfers(const TransferPaths& paths,
                                             const std::vector<Rank>& ranks,
                                             const std::vector<Rank>& remote,
                                             const std::vector<int>& group_of,
                                             const BoundedRings& bounded);

/// The narrowest cut that separates ranks from other ranks or from the outside, where data may pass
/// through any rank; nothing for one rank without an outside.
[[nodiscard]] std::optional<TransferCut> narrowest_cut(const TransferPaths& paths,
                                                       const std::vector<Rank>& ranks,
                                                       const std::vector<Rank>& remote,
                                                       const BoundedRings& bounded);

}  // namespace ringcast::detail
