#pragma once

#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// Hosts that predict the same.
struct DiscoveredType {
  std::string name;       // `node`; one of several types: `node-8gpu`, `node-64core`
  HostHardware hardware;  // of the first host
  std::vector<std::string> hosts;
};

struct DiscoveredNodes {
  std::vector<DiscoveredType> types;  // in the order of their first hosts
  std::vector<std::size_t> type_of;   // the type of each host, in the order of hosts
};

/// Groups hosts into types.
[[nodiscard]] DiscoveredNodes merge_hosts(const std::vector<HostHardware>& hosts);

}  // namespace ringcast
