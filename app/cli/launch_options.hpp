#pragma once

#include "app/measure/launcher.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}  // namespace CLI

namespace ringcast {

/// Adds --launcher, --hostfile, --mpirun-args and --oversubscribe; --ranks and --timeout too where
/// the command has none of its own yet. It is for the command to tell its ranks of the timeout.
void add_launch_options(CLI::App& command, LaunchOptions& options);

}  // namespace ringcast
