#pragma once

#include <string>
#include <vector>

#include "topology/transfers/rank_places.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::testing {

using Names = std::vector<std::string>;

inline TransferPaths paths_of(const Topology& topology, const TransportProfile& profile) {
  return {topology, profile, places_of_ranks(topology, topology.ranks(), profile)};
}

inline Names names_of(const Topology& topology, const Leg& leg) {
  Names names;
  for (const LinkId link : leg.links) {
    names.push_back(topology.name_of(link));
  }
  return names;
}

}  // namespace ringcast::testing
