#pragma once

#include <string>
#include <vector>

#include "topology/import/ib_network.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// The hosts of a network as nodes, by name, with the network as their fabric. Each is like one of
/// the hosts in `described`: the one of its name, or whose cards have its adapters' GUIDs, else the
/// first whose cards it has. Those are found among its adapters by their names (mlx5_0), or where
/// names are missing as on the described host, or by their order; hosts that lack some are left
/// out. All cabled ports of a card count. Where none is described, each adapter gets a GPU beside
/// it. If the network consists of several pieces, the part that in_main_piece() keeps is taken.
/// Throws ScenarioError "NAME: PROBLEM (expected ...)" if no host remains.
[[nodiscard]] DiscoveredNodes nodes_on_network(const std::string& name, const IbNetwork& network,
                                               const std::vector<HostHardware>& described,
                                               const ImportHints& hints = {});

}  // namespace ringcast
