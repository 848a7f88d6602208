#pragma once

#include <vector>

#include "topology/topology.hpp"
#include "topology/transport_profile.hpp"

namespace ringcast {

/// Where the first `ranks` ranks of a topology work under a profile: on the GPU, or on the socket
/// next to it; processes where they are. Throws ScenarioError for processes under a profile that
/// copies buffers from GPUs.
[[nodiscard]] std::vector<int> places_of_ranks(const Topology& topology, int ranks,
                                               const TransportProfile& profile);

}  // namespace ringcast
