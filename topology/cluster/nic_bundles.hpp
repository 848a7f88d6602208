#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// Replaces the k NICs of each GPU by one of k times the bandwidth, in the node and to the switch:
/// NCCL uses all of them concurrently, by separate channels or as one device (the plugin for EFA).
/// Applies to fabrics of kind switch, if each PCIe switch or root complex with NICs has k > 1 equal
/// NICs per GPU, and the rails are a multiple or a divisor of k; otherwise the cluster is returned
/// unchanged. r rails become r/k, or one.
[[nodiscard]] ClusterSpec with_bundled_nics(ClusterSpec spec);

/// The NICs per GPU that would be one with another number of rails; 0: none.
[[nodiscard]] int nics_apart_on_rails(const ClusterSpec& spec);

}  // namespace ringcast::detail
