#pragma once

#include <optional>
#include <utility>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// Replaces the k NICs of each GPU by one of k times the bandwidth, in the node and to the switch:
/// NCCL uses all of them concurrently, by separate channels or as one device (the plugin for EFA).
/// Applies to fabrics of kind switch, if each PCIe switch or root complex with NICs has k > 1 equal
/// NICs per GPU, and the rails are a multiple or a divisor of k; otherwise the cluster is returned
/// unchanged. r rails become r/k, or one.
[[nodiscard]] ClusterSpec with_bundled_nics(ClusterSpec spec);

/// The NICs per GPU, if all GPUs with NICs have as many, that would be one on another fabric; 0:
/// none.
[[nodiscard]] int nics_apart(const ClusterSpec& spec);

/// The numbers of NICs and GPUs of the first PCIe switch or root complex with more NICs than GPUs
/// that are not a multiple of them; nothing if there is none.
[[nodiscard]] std::optional<std::pair<int, int>> uneven_nics(const ClusterSpec& spec);

}  // namespace ringcast::detail
