#pragma once

#include <optional>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// The generation of the oldest PCIe link class of a cluster; absent: it has none.
[[nodiscard]] std::optional<int> generation_of_pcie(const ClusterSpec& cluster);

/// Sets the limits of kernels over the cluster's networks to those of its PCIe generation, unless
/// the file gives them: link classes have those of PCIe 3.0.
void set_staging_limits(ClusterSpec& cluster);

/// Undoes set_staging_limits(): the cable with the limit of its class, if its limit is that of
/// generation `pcie`.
[[nodiscard]] CableSpec with_limit_of_class(CableSpec cable, int pcie);

}  // namespace ringcast
