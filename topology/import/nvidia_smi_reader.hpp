#pragma once

#include <span>
#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast {

/// The machine whose matrix `nvidia-smi topo -m` printed; `lines` without escape sequences. The
/// matrix has no speeds: those of PCIe come from the model of the GPUs, given or guessed by the
/// NVLinks; cards keep unknown rates. Throws ScenarioError "NAME:LINE: PROBLEM (expected ...)".
[[nodiscard]] HostHardware host_of_nvidia_smi(const std::string& name,
                                              std::span<const std::string> lines,
                                              const ImportHints& hints);

}  // namespace ringcast
