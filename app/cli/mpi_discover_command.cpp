#include <algorithm>
#include <string>

#include "app/cli/commands.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/on_ranks.hpp"
#include "app/report/hardware_json.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

/// The hardware of this host, from one rank of each host; empty from the others.
std::string host_text(const MpiWorld& world) {
  const std::vector<int>& nodes = world.node_of();
  const auto first = std::ranges::find(nodes, world.node()) - nodes.begin();
  return first == index_of(world.rank()) ? to_json(this_host()) : "";
}

}  // namespace

void add_mpi_discover_command(Command& program) {
  Command command = program.command("discover", "report the hardware of all hosts");
  command.runs([] {
    return on_ranks([](MpiWorld& world, RankReporter& reporter) {
      for (const std::string& text : world.gather(host_text(world)))
        if (!text.empty()) reporter.send(host_word, text);
      return 0;
    });
  });
}

}  // namespace ringcast
