#pragma once

#include "app/cli/program.hpp"
#include "app/measure/launcher.hpp"

namespace ringcast {

/// Adds --launcher, --hostfile, --mpirun-args and --oversubscribe; --ranks and --timeout too where
/// the command has none of its own yet. It is for the command to tell its ranks of the timeout.
void add_launch_options(Command& command, LaunchOptions& options);

}  // namespace ringcast
