#pragma once

#include <optional>
#include <string>

#include "topology/import/ib_network.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// The hosts of a network as nodes, by name, with the network as their fabric. Each is `box`, whose
/// cards are found among the host's adapters by their names (mlx5_0), or where names are missing as
/// on the host that has the box's GUIDs, or by their order; hosts that lack some are left out. All
/// cabled ports of a card count. Without a box, each adapter gets a GPU beside it. Of a network in
/// several pieces, in_main_piece() is taken. Throws ScenarioError "NAME: PROBLEM (expected ...)" if
/// no host remains.
[[nodiscard]] DiscoveredNodes nodes_on_network(const std::string& name, const IbNetwork& network,
                                               const std::optional<HostHardware>& box,
                                               const ImportHints& hints = {});

}  // namespace ringcast
