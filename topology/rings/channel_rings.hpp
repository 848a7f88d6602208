#pragma once

#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The rings that NCCL's graph search finds for the ranks of a job, each with an equal share of the
/// buffer; an order that carries several shares stands several times. Within a node they follow
/// NVSwitches, NVLinks or the PCIe tree; between nodes each takes a network card of its own, as far
/// as there are cards and the node is fast enough. Ranks that are no GPUs get one ring.
[[nodiscard]] std::vector<RingOrder> channel_rings(const TransferPaths& paths);

namespace detail {

/// Which paths through a node rings may use; the defaults are NCCL's.
struct NodePathChoice {
  std::size_t rings_per_card = 1;
  /// Takes all of Walecki's paths, without comparing them with others: each GPU of a node begins
  /// and ends one of them if the number of GPUs is even, two if it is odd.
  bool packed = false;
  /// Where nodes have different numbers of paths, those with fewer repeat some. NCCL has as many
  /// channels as its search finds in the node with the fewest (src/init.cc).
  bool repeated = false;
};

/// The same rings over several nodes of GPUs, node by node in the order given: for each ring a path
/// through each node. NCCL has a ring per card; more can spread the load over the GPUs beside it.
[[nodiscard]] std::vector<std::vector<std::vector<Rank>>> node_paths(
    const TransferPaths& paths, const std::vector<JobNode>& nodes, NodePathChoice from = {});

}  // namespace detail

}  // namespace ringcast
