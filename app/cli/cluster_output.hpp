#pragma once

#include <string>

#include "app/cli/program.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// Adds --output.
void add_cluster_output(Command& command, std::string& output);

/// Throws what write_cluster() would throw for the file, and ScenarioError for a name that does not
/// end in .yaml or .yml. Empty: standard output.
void check_cluster_output(const std::string& output);

/// Writes the cluster file, and its assumptions and notes to standard error.
void write_cluster(const DiscoveredNodes& nodes, const std::string& output);

}  // namespace ringcast
