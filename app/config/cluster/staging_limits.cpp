#include "app/config/cluster/staging_limits.hpp"

#include <algorithm>

#include "app/config/cluster/cluster_cables.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

std::optional<int> generation_of_pcie(const ClusterSpec& cluster) {
  std::optional<int> oldest;
  for (const std::string& name : link_classes_of(cluster)) {
    const std::optional<int> own = pcie_generation(name);
    if (own) oldest = std::min(oldest.value_or(*own), *own);
  }
  return oldest;
}

void set_staging_limits(ClusterSpec& cluster) {
  const int pcie = generation_of_pcie(cluster).value_or(oldest_pcie);
  for (CableSpec* const cable : cables_of(cluster)) {
    const LinkClass* const own = find_link_class(cable->base_class);
    if (own == nullptr || !own->is_network) continue;
    if (cable->kernel_bandwidth == kernel_limit(*own, cable->bandwidth)) {
      cable->kernel_bandwidth = kernel_limit(*own, cable->bandwidth, pcie);
    }
  }
}

CableSpec with_limit_of_class(CableSpec cable, int pcie) {
  const LinkClass* const own = find_link_class(cable.base_class);
  if (own != nullptr && own->is_network &&
      cable.kernel_bandwidth == kernel_limit(*own, cable.bandwidth, pcie)) {
    cable.kernel_bandwidth = kernel_limit(*own, cable.bandwidth);
  }
  return cable;
}

}  // namespace ringcast
