#pragma once

#include "topology/cluster_spec.hpp"

namespace ringcast::detail {

/// Where every GPU has the same number of network cards of its own, several, they become one card
/// of their sum: 2 GPUs and 4 cards of 100 Gb/s below one PCIe switch, joined by a single switch,
/// are 2 cards of 200 Gb/s. NCCL's channels take a GPU's cards in turn (ncclTopoGetLocalNet() in
/// NVIDIA/nccl, src/graph/topo.cc), while a route between two GPUs takes one. Other clusters stay
/// as they are.
[[nodiscard]] ClusterSpec with_card_bundles(ClusterSpec spec);

}  // namespace ringcast::detail
