#include "app/cli/launch_options.hpp"

namespace ringcast {

void add_launch_options(Command& command, LaunchOptions& options) {
  const std::string group = "How the ranks are started";
  if (!command.has("--ranks")) {
    command.option("--ranks", options.ranks, "so many ranks").range(1, 100'000).group(group);
  }
  command.option("--launcher", options.launcher, "instead of mpirun: \"srun --mpi=pmix\"")
      .group(group);
  command.option("--hostfile", options.hostfile, "the hosts, one a line, as for mpirun")
      .group(group);
  command.option("--mpirun-args", options.mpirun_args, "further words for mpirun or --launcher")
      .group(group);
  command.flag("--oversubscribe", options.oversubscribe, "more ranks than the hosts have slots")
      .group(group);
  if (!command.has("--timeout")) {
    const auto read = [&options](const std::string& text) {
      options.timeout = read_duration("--timeout", text);
    };
    command.callback_option("--timeout", read, "a job without progress for so long is ended")
        .shows_default("60 s")
        .group(group);
  }
}

}  // namespace ringcast
