#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/system_rates.hpp"

namespace ringcast {

/// This machine as hwloc and the system see it, with the network cards that choose_cards() keeps.
[[nodiscard]] HostHardware this_host(const SystemRates& rates = SystemRates{});

/// Another machine, from the XML that lstopo wrote there; `name` is the file's, for messages.
/// Throws ScenarioError "NAME: PROBLEM (expected ...)" if it is no topology, or of a version that
/// this hwloc does not read.
[[nodiscard]] HostHardware host_of_xml(const std::string& name, const std::string& xml,
                                       const ImportHints& hints = {});

}  // namespace ringcast
