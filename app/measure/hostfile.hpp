#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// The hosts that a hostfile of mpirun names. Throws ScenarioError "--hostfile: ..." for one that
/// cannot be read or names none.
[[nodiscard]] std::vector<std::string> hosts_of(const std::filesystem::path& file);

}  // namespace ringcast
