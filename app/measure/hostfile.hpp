#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// The hosts in a hostfile. Throws ScenarioError "--hostfile: ..." if it cannot be read or has
/// none.
[[nodiscard]] std::vector<std::string> hosts_of(const std::filesystem::path& file);

/// Throws ScenarioError "--hostfile: FILE:LINE: ..." for syntax that Open MPI's mpirun does not
/// accept: CRLF line ends, `node1:2` of other launchers, invalid numbers of slots.
void check_open_mpi_hostfile(const std::filesystem::path& file);

}  // namespace ringcast
