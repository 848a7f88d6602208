#pragma once

#include <string>
#include <vector>

#include "topology/import/ib_network.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// The hosts of a network as nodes, by name, with the network as their fabric. Each host has the
/// hardware of one in `described`: the one with its name, or whose NICs have the GUIDs of its
/// adapters, otherwise the one whose NICs fit best. NodeNics finds these NICs among its
/// adapters; hosts that lack half of them are omitted, a few missing NICs have no cable. All cabled
/// ports of a NIC are used. If no host is described, each adapter gets a GPU on the same PCIe
/// switch, with PCIe that feeds the fastest port of the fabric. The hosts of a rack are one node,
/// by hosts_of_nodes(). Only the nodes that in_main_component() keeps are used. Throws
/// ScenarioError "NAME: PROBLEM (expected ...)" if no host remains.
[[nodiscard]] DiscoveredNodes nodes_on_network(const std::string& name, const IbNetwork& network,
                                               const std::vector<HostHardware>& described,
                                               const ImportHints& hints = {});

}  // namespace ringcast
