#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/system_rates.hpp"

namespace ringcast {

/// This machine as hwloc and the system see it, with the network cards that choose_cards() leaves.
[[nodiscard]] HostHardware this_host(const SystemRates& rates = SystemRates{});

/// A machine elsewhere, from the XML that lstopo wrote there; `name` is the file's, for messages.
/// Throws ScenarioError "NAME: PROBLEM (expected ...)": no XML of a topology, a version that this
/// hwloc does not read.
[[nodiscard]] HostHardware host_of_xml(const std::string& name, const std::string& xml);

}  // namespace ringcast
