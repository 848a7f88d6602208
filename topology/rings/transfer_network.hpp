#pragma once

#include <optional>
#include <vector>

#include "topology/rings/flow_network.hpp"
#include "topology/rings/job_nodes.hpp"

namespace ringcast::detail {

/// If PCIe cables would add at most this fraction to NVLinks that carry rings over all ranks of a
/// node, they count for nothing: libraries use the one or the other.
constexpr double little_beside_nvlinks = 0.05;

// The transfers that the ranks of one node can make at the same time, as flows (Boost.Graph).
//
// Each link of a transfer path is an arc of its capacity; two links follow each other if they do so
// on a path. All sets of transfers are flows in this network, so its minimum cuts bound them. The
// outside of the node is one more party, without limits beyond the node's own cables. `remote`:
// ranks of other nodes, which stand for all of them; empty for a job on one node. PCIe cables
// beside NVLinks that carry rings over all ranks count only if they would add more than 5 %.

/// What all ranks can send to other groups and to the outside together. `group_of`: the group of
/// each rank; transfers within a group are left out.
[[nodiscard]] TransferCut outgoing_transfers(const TransferPaths& paths,
                                             const std::vector<Rank>& ranks,
                                             const std::vector<Rank>& remote,
                                             const std::vector<int>& group_of);

/// The narrowest cut that separates ranks from other ranks or from the outside, where data may pass
/// through any rank; nothing for one rank without an outside.
[[nodiscard]] std::optional<TransferCut> narrowest_cut(const TransferPaths& paths,
                                                       const std::vector<Rank>& ranks,
                                                       const std::vector<Rank>& remote);

}  // namespace ringcast::detail
