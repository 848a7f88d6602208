#pragma once

#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The rings that NCCL's graph search finds for the ranks of a job, each with an equal share of the
/// buffer; an order with several shares occurs several times. Within a node they follow NVSwitches,
/// NVLinks or the PCIe tree; between nodes each uses its own NIC, as long as there are
/// NICs and the node is fast enough. Ranks without GPUs get one ring.
[[nodiscard]] std::vector<RingOrder> channel_rings(const TransferPaths& paths);

namespace detail {

/// Whether RCCL runs on three, five, six or seven GPUs of a node's xGMI mesh. It has a model of
/// eight (src/graph/rome_models.cc) and more channels for two and four (src/init.cc); others get
/// two channels for each ring that NCCL's search finds: two rings through three GPUs, one through
/// more (8xmi355x-by-count.yaml in scenarios/published: 75 and 38 GB/s).
[[nodiscard]] bool is_part_of_mesh(const TransferPaths& paths);

/// The paths through a node that rings may use; the defaults are NCCL's.
struct NodePathChoice {
  std::size_t rings_per_nic = 1;
  /// Takes all of Walecki's paths, without comparing them with others: each GPU of a node begins
  /// and ends one of them if the number of GPUs is even, two if it is odd.
  bool packed = false;
  /// If nodes have different numbers of paths, those with fewer repeat some, and the load of cables
  /// between switches counts. NCCL does not see these, and has as many channels as its search finds
  /// in the node with the fewest (src/init.cc).
  bool searched = false;
};

/// Such rings over several nodes of GPUs, in the order given: for each ring its path through each
/// node. NCCL has a ring per NIC; more rings can spread the load over the GPUs next to a NIC.
[[nodiscard]] std::vector<std::vector<std::vector<Rank>>> node_paths(
    const TransferPaths& paths, const std::vector<JobNode>& nodes, NodePathChoice from = {});

}  // namespace detail

}  // namespace ringcast
