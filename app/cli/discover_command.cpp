#include <memory>
#include <string>

#include "app/cli/cluster_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/launch_options.hpp"
#include "app/common/file_output.hpp"
#include "app/measure/job_words.hpp"
#include "app/report/hardware_json.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

struct DiscoverArguments {
  std::string output;
  LaunchOptions launching;
};

/// The local host needs no mpirun.
bool asks_for_ranks(const LaunchOptions& launching) {
  return launching.ranks || !launching.launcher.empty() || !launching.hostfile.empty() ||
         !launching.mpirun_args.empty();
}

std::vector<HostHardware> hardware_of(const LaunchOptions& launching) {
  if (!asks_for_ranks(launching)) {
    return {this_host()};
  }
  std::vector<HostHardware> hosts;
  launch(launching, {"discover"}, [&](const JobWord& word) {
    if (word.word == host_word) hosts.push_back(host_from_json(word.text));
  });
  if (hosts.empty()) {
    throw TransportError{
        "ringcast: discover: the ranks ended without a description of a host (expected a launcher "
        "that forwards the output of all ranks)"};
  }
  return hosts;
}

}  // namespace

void add_discover_command(Command& program) {
  const auto arguments = std::make_shared<DiscoverArguments>();
  Command command = program.command("discover",
                                    "write a cluster file of the hardware of this machine;\n"
                                    "with --ranks or --hostfile, of all machines that they are on");
  add_cluster_output(command, arguments->output);
  add_launch_options(command, arguments->launching);
  command.runs([arguments] {
    note_input(arguments->launching.hostfile);
    check_cluster_output(arguments->output);
    write_cluster(merge_hosts(hardware_of(arguments->launching)), arguments->output);
    return 0;
  });
}

}  // namespace ringcast
