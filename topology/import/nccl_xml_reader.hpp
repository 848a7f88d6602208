#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast {

/// The machine in a topology file of NCCL or RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), with the
/// network cards that choose_cards() keeps. Attributes may be missing, as in files of clouds: they
/// come from `hints` or are unknown. No entity is expanded and no other file is read. Throws
/// ScenarioError "NAME:LINE: PROBLEM (expected ...)".
[[nodiscard]] HostHardware host_of_nccl_xml(const std::string& name, const std::string& xml,
                                            const ImportHints& hints);

}  // namespace ringcast
