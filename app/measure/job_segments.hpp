#pragma once

#include <filesystem>
#include <vector>

#include <sys/types.h>

namespace ringcast {

/// Children of a process of this host, their children, and so on.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);

/// The files of shared memory that some process among `processes` maps: Open MPI's, through which
/// the ranks of a host exchange messages. Open MPI removes them, unless it is killed.
[[nodiscard]] std::vector<std::filesystem::path> segments_of(const std::vector<pid_t>& processes);

}  // namespace ringcast
