#include "app/cli/launch_options.hpp"

#include <CLI/CLI.hpp>

namespace ringcast {

void add_launch_options(CLI::App& command, LaunchOptions& options) {
  const std::string group = "How the ranks are started";
  if (command.get_option_no_throw("--ranks") == nullptr) {
    command.add_option("--ranks", options.ranks, "so many ranks")
        ->check(CLI::Range(1, 100'000))
        ->group(group);
  }
  command.add_option("--launcher", options.launcher, "instead of mpirun: \"srun --mpi=pmix\"")
      ->group(group);
  command.add_option("--hostfile", options.hostfile, "the hosts, one a line, as for mpirun")
      ->group(group);
  command
      .add_option("--mpirun-args", options.mpirun_args, "further words for mpirun or --launcher")
      ->group(group);
  command
      .add_flag("--oversubscribe", options.oversubscribe, "more ranks than the hosts have slots")
      ->group(group);
  if (command.get_option_no_throw("--timeout") == nullptr) {
    const auto read = [&options](const std::string& text) {
      options.timeout = read_duration("--timeout", text);
    };
    command
        .add_option_function<std::string>("--timeout", read,
                                          "a job without progress for so long is ended")
        ->default_str("60 s")
        ->group(group);
  }
}

}  // namespace ringcast
