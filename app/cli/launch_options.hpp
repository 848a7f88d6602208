#pragma once

#include "app/cli/program.hpp"
#include "app/measure/launcher.hpp"

namespace ringcast {

/// Adds --launcher, --hostfile, --mpirun-args and --oversubscribe; also --ranks and --timeout if
/// the command does not have them yet. The command must pass the timeout to its ranks.
void add_launch_options(Command& command, LaunchOptions& options);

}  // namespace ringcast
