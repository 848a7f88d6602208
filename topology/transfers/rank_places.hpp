#pragma once

#include <vector>

#include "topology/routes/topology.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Finds the vertex at which each of the first `ranks` ranks has its buffers under a profile: its
/// GPU, the socket nearest to it, or its process. Throws ScenarioError for processes under a
/// profile that copies buffers from GPUs.
[[nodiscard]] std::vector<int> places_of_ranks(const Topology& topology, int ranks,
                                               const TransportProfile& profile);

/// The vertices of a job's ranks: places_of_ranks(), and then `hosts`.
[[nodiscard]] std::vector<int> places_of_job(const Topology& topology, int ranks,
                                             const TransportProfile& profile,
                                             const std::vector<int>& hosts);

}  // namespace ringcast
