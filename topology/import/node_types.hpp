#pragma once

#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// Hosts that are alike to a prediction.
struct DiscoveredType {
  std::string name;       // `node`; of several: `node-8gpu`, `node-64core`: what tells them apart
  HostHardware hardware;  // of the first of them
  std::vector<std::string> hosts;
};

struct DiscoveredNodes {
  std::vector<DiscoveredType> types;  // in the order of their first hosts
  std::vector<std::size_t> type_of;   // of each host, in their order
};

/// One description for each host.
[[nodiscard]] DiscoveredNodes merge_hosts(const std::vector<HostHardware>& hosts);

}  // namespace ringcast
