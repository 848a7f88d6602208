#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/discover/cluster_output.hpp"
#include "scenarios/discover/hwloc_reader.hpp"

namespace ringcast {

void add_discover_command(CLI::App& app) {
  const auto output = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("discover", "write a cluster file of the hardware that is here");
  command->add_option("--output", *output, "the cluster file, .yaml (default: standard output)")
      ->check(problem_with_file_name);
  command->callback([output] {
    check_cluster_output(*output);
    write_cluster(merge_hosts({this_host()}), *output);
  });
}

}  // namespace ringcast
