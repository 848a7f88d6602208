#pragma once

#include <span>

#include "engine/schedule/ring_order.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// Whether the job uses NCCL, and NVLinks do not connect all ring neighbours of a node.
[[nodiscard]] bool is_searched_over_pcie(const NcclMachine& machine);
/// The channels of a job whose GPUs are connected by PCIe, to each other or, one per node, to their
/// NICs. `rings` are the orders in which channels visit the GPUs. If nodes differ, the channels
/// are those that all nodes have.
[[nodiscard]] NcclMachine::Search search_over_pcie(const TransferPaths& paths,
                                                   std::span<const RingOrder> rings,
                                                   const NcclMachine& machine);

}  // namespace ringcast::detail
