#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/import/hardware_links.hpp"
#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// Hosts that are equal for predictions.
struct DiscoveredType {
  std::string name;       // `node`; one of several types: `node-8gpu`, `node-64core`
  HostHardware hardware;  // of the first host
  std::vector<std::string> hosts;
};

/// The network between hosts. NICs are named as in a cluster file: node0.nic1.
struct DiscoveredFabric {
  struct Cable {
    std::string from;
    std::string to;
    LinkChoice link;
  };
  std::vector<std::string> switches;
  std::vector<Cable> cables;
  std::vector<std::string> remarks;  // omissions and doubts, one line each
};

struct DiscoveredNodes {
  std::vector<DiscoveredType> types;  // in the order of their first hosts
  std::vector<std::size_t> type_of;   // the type of each host, in the order of hosts
  std::optional<DiscoveredFabric> fabric = {};
};

/// The names of hosts, five or more of consecutive numbers as a range: `login, gpu00 .. gpu07`.
[[nodiscard]] std::string all_hosts(const std::vector<std::string>& hosts);
/// The first few of these names and ranges, for titles.
[[nodiscard]] std::string listed_hosts(const std::vector<std::string>& hosts);

/// Whether a host has NICs of different rates.
[[nodiscard]] bool has_unequal_nics(const HostHardware& host);
/// Adds a cable of its own rate from each NIC of a node, by the node's number, to `switch0`.
void join_to_switch(const HostHardware& host, int node, DiscoveredFabric& fabric);

/// The fabric with the names of the nodes' hosts in place of `node5`; none: as it is.
[[nodiscard]] DiscoveredFabric with_hosts(DiscoveredFabric fabric,
                                          const std::vector<std::string>& hosts);

/// The remarks about an omitted network, as with a single host.
[[nodiscard]] std::vector<std::string> remarks_without_network(const DiscoveredNodes& nodes);

/// Groups equal hosts into types.
[[nodiscard]] DiscoveredNodes merge_hosts(const std::vector<HostHardware>& hosts);

}  // namespace ringcast
