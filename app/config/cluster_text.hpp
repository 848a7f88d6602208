#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/import/node_types.hpp"

namespace ringcast {

/// The nodes as a cluster file. With GPUs they are the ranks, and hosts without are left out;
/// without any, each core is a process. A comment `# assumed: ...` stands above each line that says
/// what hwloc does not know.
[[nodiscard]] std::string cluster_text(const DiscoveredNodes& nodes);

/// What to tell beside it: "FILE:LINE: assumed: ..." for each assumption, and each remark.
[[nodiscard]] std::vector<std::string> doubts_of(std::string_view cluster_text,
                                                 const std::string& file);

}  // namespace ringcast
