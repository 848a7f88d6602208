#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/system_rates.hpp"

namespace ringcast {

/// This machine by hwloc and sysfs, with the NICs that choose_nics() keeps.
[[nodiscard]] HostHardware this_host(const SystemRates& rates = SystemRates{});

/// Another machine, from the XML of its lstopo; `name`: of the file, for messages. Throws
/// ScenarioError "NAME:LINE: PROBLEM (expected ...)", or without a line, if it is not a topology,
/// or of a version that this hwloc does not support.
[[nodiscard]] HostHardware host_of_xml(const std::string& name, const std::string& xml,
                                       const ImportHints& hints = {});

}  // namespace ringcast
