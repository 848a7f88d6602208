#pragma once

#include <string>

#include "scenarios/discover/node_types.hpp"

namespace ringcast {

/// Throws ScenarioError what write_cluster would throw of the file, and for a name that does not
/// end in .yaml or .yml. Empty: standard output.
void check_cluster_output(const std::string& output);

/// Writes the cluster file, and what is doubtful about it to standard error.
void write_cluster(const DiscoveredNodes& nodes, const std::string& output);

}  // namespace ringcast
