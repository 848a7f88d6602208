#include <algorithm>
#include <memory>
#include <string>

#include "app/cli/cluster_output.hpp"
#include "app/cli/commands.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/on_ranks.hpp"
#include "app/report/hardware_json.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

/// The hardware of this host, from one rank of each host; empty from the others.
std::string host_text(const MpiWorld& world) {
  const std::vector<int>& node_of = world.node_of();
  const auto mine = static_cast<std::size_t>(index_of(world.rank()));
  const auto first = std::find(node_of.begin(), node_of.end(), node_of[mine]);
  return first == node_of.begin() + static_cast<std::ptrdiff_t>(mine) ? to_json(this_host()) : "";
}

void discover(MpiWorld& world, const RankReporter& reporter, const std::string& output) {
  const std::vector<std::string> texts = world.gather(host_text(world));
  if (world.rank() != Rank{0}) {
    return;
  }
  std::vector<HostHardware> hosts;
  for (const std::string& text : texts) {
    if (!text.empty()) {
      reporter.send(host_word, text);
      hosts.push_back(host_from_json(text));
    }
  }
  // A launcher has what it needs; without one this rank writes.
  if (!reporter.launched()) {
    write_cluster(merge_hosts(hosts), output);
  }
}

}  // namespace

void add_mpi_discover_command(Command& program, const MpiProgram& mpi) {
  const auto output = std::make_shared<std::string>();
  Command command =
      program.command("discover", "write a cluster file of the hardware of all hosts");
  add_cluster_output(command, *output);
  command.runs([output, &mpi] {
    check_cluster_output(*output);
    return on_ranks(mpi, [&](MpiWorld& world, RankReporter& reporter) {
      discover(world, reporter, *output);
      return 0;
    });
  });
}

}  // namespace ringcast
