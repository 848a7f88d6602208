#include "app/config/scenario/scenario_reader.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/ranges.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/cluster/fabric_notes.hpp"
#include "app/config/scenario/allowed_choices.hpp"
#include "app/config/scenario/catalogue_transport.hpp"
#include "app/config/scenario/job_reader.hpp"
#include "app/config/scenario/nccl_variables.hpp"
#include "app/config/scenario/ring_choice_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/sweep_reader.hpp"
#include "app/config/scenario/training_reader.hpp"
#include "app/config/scenario/transport_reader.hpp"
#include "app/config/yaml/file_kind.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {

InputNode resolved(const InputNode& node, const std::filesystem::path& folder) {
  if (node.is_map()) return node;
  return read_yaml_named(
      node, folder,
      node.is_option() ? "a YAML file" : "a YAML file, relative to this one, or a map");
}

namespace {

/// The sizes of a scenario that names none, and of a cluster file alone.
constexpr const char* usual_sizes = "64KiB,1MiB,16MiB,256MiB,1GiB";

InputNode chosen_sizes(const InputNode& file, const ScenarioOverrides& overrides) {
  const bool has_series = overrides.min || overrides.max || overrides.factor;
  if (has_series && overrides.sizes) {
    InputNode::from_option("--sizes", *overrides.sizes)
        .fail("given together with a series", "either --sizes, or --min, --max and --factor");
  }
  if (has_series) {
    return InputNode::from_options(
        {{"min", overrides.min}, {"max", overrides.max}, {"factor", overrides.factor}});
  }
  const auto sizes = chosen_list(file, "sizes", "--sizes", overrides.sizes);
  return sizes ? *sizes : InputNode::from_option_list("--sizes", usual_sizes);
}

}  // namespace

Reduction read_reduction(const InputNode& file, const ScenarioOverrides& overrides) {
  Reduction reduction;
  if (const auto node = chosen(file, "data_type", "--data-type", overrides.data_type)) {
    reduction.type = node->one_of("data type", all_element_types);
  }
  if (const auto node = file.find("operation")) {
    reduction.operation = node->one_of("operation", all_operations);
  }
  return reduction;
}

void read_ring(const InputNode& file, const ScenarioOverrides& overrides, Purpose purpose,
               Scenario& scenario) {
  const auto channels = chosen_list(file, "channels", "--channels", overrides.channels);
  if (channels) {
    scenario.channels = read_channels(*channels);
    keep_positions(*channels, "channels", scenario);
  }
  const auto rings = chosen_list(file, "ring_order", "--ring", overrides.ring);
  if (!rings) {
    scenario.ring_orders = {default_ring_order(scenario.transport, purpose)};
    return;
  }
  RingDemands demands{scenario.ranks, scenario.channels, std::nullopt, std::nullopt};
  if (overrides.ranks) demands.ranks_option = InputNode::from_option("--ranks", *overrides.ranks);
  if (overrides.channels) demands.channels_option = channels;
  scenario.ring_orders = read_ring_choices(
      *rings, demands, overrides.ring ? std::filesystem::path{} : scenario.file.parent_path());
  if (purpose == Purpose::measurement &&
      std::ranges::find(scenario.ring_orders, nccl_rings, &RingChoice::name) !=
          scenario.ring_orders.end()) {
    rings->fail("the rings of NCCL can only be predicted", "another ring order");
  }
}

namespace {

/// Options by their names.
using Options = std::initializer_list<std::pair<const char*, const std::optional<std::string>&>>;

void refuse_options(Options options, std::string_view problem, std::string_view expected) {
  for (const auto& [name, text] : options)
    if (text) InputNode::from_option(name, *text).fail(problem, expected);
}

/// The workload: sizes of all-reduces, or the gradients of a model.
void read_data(const InputNode& file, const ScenarioOverrides& overrides, Scenario& scenario) {
  scenario.reduction = read_reduction(file, overrides);
  const auto training = file.find("training");
  if (!training) {
    refuse_options({{"--bucket-size", overrides.bucket_size}, {"--overlap", overrides.overlap}},
                   "the scenario trains nothing", "a training part");
    scenario.sizes = read_sizes(chosen_sizes(file, overrides), scenario.reduction.type);
    return;
  }
  static constexpr std::string_view either = "sizes or training, not both";
  refuse_options({{"--sizes", overrides.sizes},
                  {"--min", overrides.min},
                  {"--max", overrides.max},
                  {"--factor", overrides.factor}},
                 "beside training", either);
  if (const auto sizes = file.find("sizes")) sizes->fail("beside training", either);
  if (!chosen(file, "data_type", "--data-type", overrides.data_type)) {
    scenario.reduction.type = gradient_type_of(*training, scenario.file.parent_path());
  }
  const Operation operation = scenario.reduction.operation;
  if (operation != Operation::sum && operation != Operation::avg) {
    file.find("operation")
        ->fail(fmt::format("gradients with {}", name_of(operation)), "sum or avg");
  }
}

void read_sweep(const InputNode& file, const ScenarioOverrides& overrides, Purpose purpose,
                Scenario& scenario) {
  if (overrides.protocol) {
    allow_protocols(scenario.transport,
                    InputNode::from_option_list("--protocol", *overrides.protocol));
  }
  const auto ranks = chosen_list(file, "ranks", "--ranks", overrides.ranks);
  const int gpus = count_ranks(scenario.cluster);
  constexpr int any = 1'000'000;  // the limit of InputNode::count()
  const int most = purpose == Purpose::measurement ? any : gpus;
  // A file's numbers of ranks are not those of the option's job.
  const bool fits = overrides.ranks || !(overrides.nodes || overrides.gpus);
  const std::string_view owner = scenario.cluster.job_gpus.empty() ? "the cluster" : "the job";
  scenario.ranks = ranks && fits ? read_ranks(*ranks, most, owner) : std::vector<int>{gpus};
  read_data(file, overrides, scenario);
  const bool trains = file.find("training").has_value();
  const auto algorithms = chosen_list(file, "algorithm", "--algorithm", overrides.algorithm);
  scenario.algorithms = algorithms ? read_algorithms(*algorithms, purpose, trains)
                                   : std::vector{default_algorithm(scenario.transport, purpose)};
  if (algorithms) keep_positions(*algorithms, "algorithm", scenario);
  if (const auto segment = chosen(file, "segment_size", "--segment-size", overrides.segment_size)) {
    read_segment_size(*segment, scenario);
  }
}

void read_parameter_servers(const InputNode& file, const ScenarioOverrides& overrides,
                            Scenario& scenario) {
  const auto servers = file.find("parameter_servers");
  if (!servers) return;
  servers->allow_keys_of("parameter servers");
  const bool serve = std::ranges::any_of(scenario.algorithms, has_servers);
  // An option may narrow the file's sweep to the other algorithms.
  if (!serve && !overrides.algorithm) {
    servers->fail("no algorithm of the scenario has servers", "algorithm: parameter-server");
  }
  scenario.parameter_servers = read_nodes(servers->require("nodes", "a list of nodes, e.g. [0, 1]"),
                                          count_nodes(scenario.cluster));
  if (const auto on = servers->find("on")) {
    scenario.servers_on_hosts = on->one_of("place", {NamedValue{"gpu", false}, {"host", true}});
  }
  if (const auto pushes = servers->find("pushes")) {
    scenario.served_at_once =
        pushes->one_of("way", {NamedValue{"one-after-other", false}, {"at-once", true}});
  }
}

}  // namespace

bool has_servers(std::string_view algorithm) {
  return algorithm == "parameter-server" || algorithm == asynchronous_algorithm;
}

Scenario read_scenario(const std::filesystem::path& file, const ScenarioOverrides& overrides,
                       Purpose purpose) {
  return read_scenario(read_yaml(file), overrides, purpose);
}

namespace {

/// The transport of the option, else of the file; of a cluster file alone the default.
TransportProfile read_chosen_transport(const InputNode& node, const ScenarioOverrides& overrides,
                                       bool is_cluster, const Scenario& scenario) {
  std::optional<TransportProfile> of_file;
  if (!is_cluster && (!overrides.transport || node.find("transport"))) {
    const InputNode transport =
        node.require("transport", "a transport file, e.g. transports/ideal.yaml, or nccl");
    of_file =
        read_transport(named_transport(transport, scenario.file.parent_path(), scenario.cluster));
  }
  if (overrides.transport) {
    return read_transport(transport_option(*overrides.transport, scenario.cluster));
  }
  return of_file ? *of_file : read_transport(default_transport_file(scenario.cluster));
}

}  // namespace

Scenario read_scenario(const InputNode& node, const ScenarioOverrides& overrides, Purpose purpose) {
  // A cluster file alone is predicted, too: it has no key below but its name.
  const bool is_cluster =
      purpose == Purpose::prediction && node.is_map() && node.find("node_types");
  expect_kind(node, is_cluster ? "cluster" : "scenario");
  Scenario scenario;
  scenario.file = node.document_name();
  const std::filesystem::path folder = scenario.file.parent_path();
  const auto name = node.find("name");
  scenario.name = name ? name->name() : scenario.file.stem().string();
  scenario.cluster = read_cluster(
      is_cluster
          ? node
          : resolved(node.require("cluster", "a cluster file, e.g. clusters/baidu-2017.yaml"),
                     folder));
  scenario.cluster.job_gpus =
      read_job_gpus(is_cluster ? std::nullopt : node.find("job"), overrides, scenario.cluster);
  if (overrides.nodes) scenario.name += fmt::format(", nodes {}", *overrides.nodes);
  if (overrides.gpus) scenario.name += fmt::format(", GPUs {}", *overrides.gpus);
  scenario.transport = read_chosen_transport(node, overrides, is_cluster, scenario);
  std::vector<std::string> notes = notes_on_fabric(scenario.cluster);
  const std::string on_transport = is_cluster && !overrides.transport
                                       ? note_on_ethernet(node, scenario.cluster)
                                       : note_on_transport(scenario.transport, scenario.cluster);
  if (!on_transport.empty()) notes.push_back(on_transport);
  if (overrides.nccl_env) {
    std::ranges::move(set_nccl_variables(scenario.transport, "--nccl-env", *overrides.nccl_env),
                      std::back_inserter(notes));
  }
  scenario.note = fmt::format("{}", fmt::join(notes, "\n"));
  read_sweep(node, overrides, purpose, scenario);
  read_ring(node, overrides, purpose, scenario);
  read_parameter_servers(node, overrides, scenario);
  if (const auto seed = node.find("seed")) {
    scenario.seed = seed->integer(0, largest_seed);
  }
  if (const auto training = node.find("training")) {
    scenario.training = read_training(*training, folder, scenario, overrides);
  }
  return scenario;
}

}  // namespace ringcast
