#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// `open_mpi`: what Open MPI's mpirun accepts, without CRLF line ends, `node1:2` of other launchers
/// and invalid numbers of slots.
enum class HostfileSyntax { any, open_mpi };

/// The hosts in a hostfile. Throws ScenarioError "--hostfile: ..." if it cannot be read or has
/// none, and "--hostfile: FILE:LINE: ..." for other syntax.
[[nodiscard]] std::vector<std::string> hosts_of(const std::filesystem::path& file,
                                                HostfileSyntax syntax = HostfileSyntax::any);

}  // namespace ringcast
