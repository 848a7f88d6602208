#pragma once

#include <string>

#include "topology/import/node_types.hpp"

namespace ringcast {

/// Writes the nodes as a cluster file. The ranks are the GPUs, and hosts without GPUs are left out;
/// if there are no GPUs, each core is a process. A comment `# assumed: ...` is above each value
/// that the tools did not report.
[[nodiscard]] std::string cluster_text(const DiscoveredNodes& nodes);

}  // namespace ringcast
