#pragma once

#include <optional>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// The generation of the oldest PCIe cable of a cluster, by its link classes; absent: none has one.
[[nodiscard]] std::optional<int> generation_of_pcie(const ClusterSpec& cluster);

/// Gives the networks of a cluster the limits that kernels on its PCIe reach, where the file gives
/// none: link classes have those of PCIe 3.0.
void set_staging_limits(ClusterSpec& cluster);

/// The same cable with the limit of its class, if set_staging_limits() gave it that of `pcie`.
[[nodiscard]] CableSpec with_limit_of_class(CableSpec cable, int pcie);

}  // namespace ringcast
