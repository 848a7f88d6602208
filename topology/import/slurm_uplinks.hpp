#pragma once

#include "topology/import/node_types.hpp"

namespace ringcast {

/// Gives each cable between switches, `from` the upper one, the rate of one port for each NIC
/// below, as if nothing blocked: Slurm does not say how many cables join two switches. Switches
/// above the same one share its NICs. Repeats a cable whose link would exceed 100 TB/s, the
/// most of a cluster file.
void widen_uplinks(DiscoveredFabric& fabric);

}  // namespace ringcast
