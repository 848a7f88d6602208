#pragma once

#include <string>

#include "app/cli/program.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// Adds --output.
void add_cluster_output(Command& command, std::string& output);

/// Throws ScenarioError what write_cluster would throw of the file, and for a name that does not
/// end in .yaml or .yml. Empty: standard output.
void check_cluster_output(const std::string& output);

/// Writes the cluster file, and its assumptions to standard error.
void write_cluster(const DiscoveredNodes& nodes, const std::string& output);

}  // namespace ringcast
