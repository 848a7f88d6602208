#pragma once

#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The rings that NCCL's graph search finds for the ranks of a job, each with an equal share of the
/// buffer; an order with several shares occurs several times. Within a node they follow NVSwitches,
/// NVLinks or the PCIe tree; between nodes each uses its own network card, as long as there are
/// cards and the node is fast enough. Ranks without GPUs get one ring.
[[nodiscard]] std::vector<RingOrder> channel_rings(const TransferPaths& paths);

namespace detail {

/// The paths through a node that rings may use; the defaults are NCCL's.
struct NodePathChoice {
  std::size_t rings_per_card = 1;
  /// Takes all of Walecki's paths, without comparing them with others: each GPU of a node begins
  /// and ends one of them if the number of GPUs is even, two if it is odd.
  bool packed = false;
  /// If nodes have different numbers of paths, those with fewer repeat some. NCCL instead has as
  /// many channels as its search finds in the node with the fewest (src/init.cc).
  bool repeated = false;
};

/// Such rings over several nodes of GPUs, in the order given: for each ring its path through each
/// node. NCCL has a ring per card; more rings can spread the load over the GPUs next to a card.
[[nodiscard]] std::vector<std::vector<std::vector<Rank>>> node_paths(
    const TransferPaths& paths, const std::vector<JobNode>& nodes, NodePathChoice from = {});

}  // namespace detail

}  // namespace ringcast
