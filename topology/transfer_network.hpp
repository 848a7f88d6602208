#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "topology/job_nodes.hpp"

namespace ringcast::detail {

/// A directed cut: its capacity, and the links that it consists of.
struct TransferCut {
  BytesPerSecond capacity;
  std::vector<LinkId> links;
};

/// The transfers that the ranks of one node can make at the same time, as flows (Boost.Graph).
///
/// Each link of a transfer path is an arc of its capacity; two links follow each other if they do
/// so on a path. All sets of transfers are flows in this network, so its minimum cuts bound them.
/// What is outside of the node is one more party, without limits beyond the node's own cables.
class TransferNetwork {
 public:
  /// `remote`: ranks of other nodes, which stand for all; empty for a job on one node. `group_of`:
  /// the group of each of the node's ranks; transfers within a group are left out.
  TransferNetwork(const TransferPaths& paths, const std::vector<Rank>& ranks,
                  const std::vector<Rank>& remote, const std::vector<int>& group_of);
  TransferNetwork(const TransferNetwork&) = delete;
  TransferNetwork& operator=(const TransferNetwork&) = delete;
  ~TransferNetwork();

  /// All that the ranks can send to other groups and to the outside together.
  [[nodiscard]] TransferCut outgoing();
  /// The narrowest cut that separates ranks from other ranks or from the outside, where data may
  /// pass through any rank; nothing for one rank without an outside.
  [[nodiscard]] std::optional<TransferCut> narrowest();

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace ringcast::detail
