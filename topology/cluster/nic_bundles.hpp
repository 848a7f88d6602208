#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// The cluster with one NIC in place of the k that stand beside each GPU, of k times the bandwidth
/// in the node and to the switch. NCCL uses all of them at once: over channels of their own, or as
/// one device (the plugin for EFA). Only a fabric of kind switch, and only where each PCIe switch
/// or root complex with NICs has GPUs and k NICs, all alike, for each of them; otherwise, and for
/// k = 1, the cluster itself. Of r rails r/k are left.
[[nodiscard]] ClusterSpec with_bundled_nics(ClusterSpec spec);

}  // namespace ringcast::detail
