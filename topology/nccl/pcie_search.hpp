#pragma once

#include <span>

#include "engine/schedule/ring_order.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// What NCCL's search finds.
struct SearchedChannels {
  int channels = 1;             // of rings and of trees
  BytesPerSecond ring_rate{0};  // of one of them
  BytesPerSecond tree_rate{0};
  bool balanced_trees = false;
};

/// Jobs of NCCL in which NVLinks do not join all ring neighbours of a node.
[[nodiscard]] bool is_searched_over_pcie(const NcclMachine& machine);
/// The channels of a job whose GPUs PCIe joins, in nodes or, one per node, to their cards; `rings`
/// are the orders in which channels visit the GPUs. Nodes that differ get what all have.
[[nodiscard]] SearchedChannels search_over_pcie(const TransferPaths& paths,
                                                std::span<const RingOrder> rings,
                                                const NcclMachine& machine);

}  // namespace ringcast::detail
