#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// The hosts that a hostfile names. Throws ScenarioError "--hostfile: ..." for one that cannot be
/// read or names none.
[[nodiscard]] std::vector<std::string> hosts_of(const std::filesystem::path& file);

/// Throws ScenarioError "--hostfile: FILE:LINE: ..." for what Open MPI's mpirun does not take: ends
/// of lines as on Windows, the `node1:2` of other launchers, numbers of slots that are none.
void check_open_mpi_hostfile(const std::filesystem::path& file);

}  // namespace ringcast
