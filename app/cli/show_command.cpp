#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/common/console.hpp"
#include "app/common/data_file.hpp"
#include "app/common/file_output.hpp"
#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/catalogue_transport.hpp"
#include "app/config/scenario/job_reader.hpp"
#include "app/config/scenario/nccl_variables.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/scenario/transport_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "app/report/show.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

struct ShowArguments {
  std::string cluster;
  std::string format = "text";
  std::string output;
  bool paths = false;
  bool rings = false;
  std::string transport;
  ScenarioOverrides overrides;  // nccl_env, nodes, gpus
};

/// A picture of the graph, made by graphviz.
std::string draw(const std::string& graph, const std::string& picture_format) {
  ChildCommand command{"dot", {"-T" + picture_format}, {}, graph};
  ChildOutcome outcome;
  try {
    outcome = run_child(command);
  } catch (const BackendUnavailable& missing) {
    throw BackendUnavailable{fmt::format("{} (apt install graphviz)", missing.what())};
  }
  if (!outcome.succeeded()) {
    throw BackendUnavailable{
        fmt::format("dot -T{}: {} (expected a Graphviz with this format: apt install graphviz)",
                    picture_format, outcome.errors)};
  }
  return std::move(outcome.output);
}

std::string drawn(const Topology& topology, const std::string& format) {
  if (format == "dot") return dot(topology);
  if (format == "json") return cluster_json(topology);
  const bool is_text = format == "text" || format == "txt";
  return is_text ? text_tree(topology) : draw(dot(topology), format);
}

/// The hardware to show: a cluster, or the cluster and the transport of a scenario.
struct Shown {
  ClusterSpec cluster;
  std::optional<TransportProfile> transport;
};

Shown read_shown(const std::filesystem::path& file, const ScenarioOverrides& overrides) {
  const InputNode node = read_yaml(file);
  if (!node.find("cluster")) {
    ClusterSpec cluster = read_cluster(node);
    cluster.job_gpus = read_job_gpus(std::nullopt, overrides, cluster);
    return {std::move(cluster), std::nullopt};
  }
  Scenario scenario = read_scenario(node, {.nodes = overrides.nodes, .gpus = overrides.gpus});
  return {std::move(scenario.cluster), std::move(scenario.transport)};
}

/// The transport of the option, else the scenario's, else the default of the cluster.
TransportProfile transport_of(const ShowArguments& arguments, const Shown& shown) {
  TransportProfile profile =
      !arguments.transport.empty()
          ? read_transport(transport_option(arguments.transport, shown.cluster))
      : shown.transport ? *shown.transport
                        : read_transport(default_transport_file(shown.cluster));
  if (const auto& variables = arguments.overrides.nccl_env) {
    // Variables that determine no path or ring are those of predict.
    static_cast<void>(set_nccl_variables(profile, "--nccl-env", *variables));
  }
  return profile;
}

/// --paths or --rings.
void print_own_table(const ShowArguments& arguments) {
  if (!arguments.output.empty() || arguments.format != "text") {
    throw ScenarioError{fmt::format("{}: a table of its own (expected no --output and no --format)",
                                    arguments.paths ? "--paths" : "--rings")};
  }
  const Shown shown = read_shown(arguments.cluster, arguments.overrides);
  const Topology topology{build_cluster(shown.cluster)};
  const TransportProfile profile = transport_of(arguments, shown);
  const TransferPaths paths{topology, profile,
                            places_of_ranks(topology, topology.ranks(), profile)};
  print_output(arguments.rings ? ring_table(paths) : path_matrix(paths));
}

void run_show(const ShowArguments& arguments) {
  if (arguments.paths || arguments.rings) {
    print_own_table(arguments);
    return;
  }
  for (const auto& [option, given] : {std::pair{"--transport", !arguments.transport.empty()},
                                      {"--nccl-env", arguments.overrides.nccl_env.has_value()},
                                      {"--nodes", arguments.overrides.nodes.has_value()},
                                      {"--gpus", arguments.overrides.gpus.has_value()}}) {
    if (!given) continue;
    throw ScenarioError{fmt::format(
        "{}: changes nothing but paths and rings (expected it with --paths or --rings)", option)};
  }

  const std::filesystem::path output = arguments.output;
  std::string format = arguments.format;
  if (!output.empty()) {
    if (format != "text") {
      throw ScenarioError{
          "--format: is for standard output (expected no --output, whose ending says the format)"};
    }
    format = format_of_name("--output", output, {"svg", "png", "pdf", "dot", "json", "txt"});
    note_input(find_data_file(arguments.cluster));
    check_writable(output);
  }

  ClusterSpec cluster = read_shown(arguments.cluster, {}).cluster;
  cluster.job_gpus.clear();
  const Topology topology{build_cluster(cluster)};
  const std::string text = drawn(topology, format);
  output.empty() ? print_output(text) : write_file(output, text);
}

}  // namespace

void add_show_command(Command& program) {
  const auto arguments = std::make_shared<ShowArguments>();
  Command command = program.command("show", "print a cluster with the bandwidth of every cable");
  command.option("cluster", arguments->cluster, "a cluster or a scenario file").required();
  command.option("--format", arguments->format, "the format on standard output")
      .one_of({"text", "dot", "json"})
      .shows_default();
  command
      .option("--output", arguments->output,
              "write a file instead: .svg, .png, .pdf (by graphviz), .dot, .json or .txt")
      .file_name();
  const Option paths =
      command.flag("--paths", arguments->paths,
                   "print the path and bandwidth between each pair of GPUs instead");
  command
      .flag("--rings", arguments->rings,
            "print the rings that NCCL makes of the cluster instead, by channel")
      .excludes(paths);
  command
      .option("--transport", arguments->transport,
              "with --paths or --rings: a transport file, a name of the catalogue, or a release of "
              "NCCL: nccl-2.26; by default the scenario's, or NCCL for a cluster")
      .file_name();
  command.option("--nccl-env", arguments->overrides.nccl_env,
                 "with --paths or --rings: NCCL's variables: \"NCCL_P2P_LEVEL=PHB\"");
  command.option("--nodes", arguments->overrides.nodes,
                 "with --paths or --rings: nodes of the job, in its order: 0-3,16, or hosts");
  command.option("--gpus", arguments->overrides.gpus,
                 "with --paths or --rings: its GPUs on each node, as CUDA_VISIBLE_DEVICES: 4-7");
  command.runs([arguments] {
    run_show(*arguments);
    return 0;
  });
}

}  // namespace ringcast
