#pragma once

#include <span>
#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast {

/// The machine of a matrix of `nvidia-smi topo -m`; `lines` without escape sequences. The matrix
/// has no speeds: those of PCIe follow from the model of the GPUs, which is given or guessed from
/// the NVLinks; rates of NICs stay unknown. Throws ScenarioError "NAME:LINE: PROBLEM
/// (expected ...)".
[[nodiscard]] HostHardware host_of_nvidia_smi(const std::string& name,
                                              std::span<const std::string> lines,
                                              const ImportHints& hints);

}  // namespace ringcast
