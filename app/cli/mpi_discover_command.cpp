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
  const std::vector<int>& node_of = world.node_of();
  const auto mine = static_cast<std::size_t>(index_of(world.rank()));
  const auto first = std::find(node_of.begin(), node_of.end(), node_of[mine]);
  return first == node_of.begin() + static_cast<std::ptrdiff_t>(mine) ? to_json(this_host()) : "";
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
