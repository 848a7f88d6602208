#pragma once

#include <filesystem>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The memory that processes can allocate here without swapping: the host's (MemAvailable), or less
/// if a control group of this process has a limit, as in containers and jobs of Slurm. If the
/// system reports neither, the largest value. `root`: the folder of /proc and /sys.
[[nodiscard]] Bytes available_memory(const std::filesystem::path& root = "/");

/// Whether `needed` bytes leave some of the available memory for everything else on the host.
[[nodiscard]] bool has_room(Bytes available, double needed);

}  // namespace ringcast
