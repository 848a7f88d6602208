#pragma once

#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast {

/// The host in a topology file of NCCL or RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), with the
/// NICs that choose_nics() keeps. In a file of several hosts, trays become one host, see
/// rack_of(); other hosts remain separate. Attributes may be missing, as in files of clouds; then
/// `hints` are used. XML entities are not expanded, and no other file is read. Throws ScenarioError
/// "NAME:LINE: PROBLEM (expected ...)".
[[nodiscard]] std::vector<HostHardware> hosts_of_nccl_xml(const std::string& name,
                                                          const std::string& xml,
                                                          const ImportHints& hints);

}  // namespace ringcast
