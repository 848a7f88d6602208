#include "app/cli/launch_options.hpp"

namespace ringcast {

void add_launch_options(Command& command, LaunchOptions& options) {
  const std::string group = "Starting the ranks";
  if (!command.has("--ranks")) {
    command.option("--ranks", options.ranks, "number of ranks").range(1, 100'000).group(group);
  }
  command
      .option("--launcher", options.launcher,
              "launcher to use instead of mpirun, e.g. \"srun --mpi=pmix\"")
      .group(group);
  command
      .option("--hostfile", options.hostfile,
              "file of host names, one per line, as mpirun takes it")
      .group(group);
  command.option("--mpirun-args", options.mpirun_args, "further arguments for mpirun or --launcher")
      .group(group);
  command
      .flag("--oversubscribe", options.oversubscribe, "allow more ranks than the hosts have slots")
      .group(group);
  if (!command.has("--timeout")) {
    command.duration("--timeout", options.timeout, "end a job that makes no progress for this long")
        .group(group);
  }
}

}  // namespace ringcast
