#pragma once

#include <string>

#include "topology/import/node_types.hpp"

namespace ringcast {

/// Writes the nodes as a cluster file. The ranks are the GPUs, and hosts without GPUs are left out;
/// if there are no GPUs, each core is a process. A comment `# assumed: ...` is above each line that
/// the tool cannot know.
[[nodiscard]] std::string cluster_text(const DiscoveredNodes& nodes);

}  // namespace ringcast
