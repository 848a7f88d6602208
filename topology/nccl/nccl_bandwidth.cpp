#include "topology/nccl/nccl_bandwidth.hpp"

#include <algorithm>
#include <limits>

#include "topology/nccl/nccl_older_tables.hpp"
#include "topology/nccl/nccl_search.hpp"
#include "topology/nccl/nccl_tables.hpp"

namespace ringcast::detail {
namespace {

namespace tables = nccl_tables;

/// A limit of a table, or Blackwell's limit in releases before `first`.
double limit_of(const NcclMachine& machine, const tables::PerGeneration& table, NcclVersion first,
                const tables::PerNodes& older_blackwell) {
  const bool older = machine.gpus.generation == GpuGeneration::blackwell && machine.version < first;
  return older ? tables::at(older_blackwell, machine) : tables::at(table, machine);
}

/// Each head's NIC carries its share once between two nodes, twice at an inner node of a tree of
/// more. Since 2.28 heads have an efficiency, and one head's share is lost to synchronisation, so
/// that NCCL expects no bandwidth of a single head; before, 5/6 of the rates, as algorithm
/// bandwidth.
double switched_bandwidth(const NcclMachine& machine) {
  const SwitchedRates rates = searched_switch_rates(machine);
  const double heads = rates.heads;
  if (machine.version < tables::first_switch_limits) {
    double least = rates.within;
    if (machine.nodes > 1) least = std::min(least, rates.across / (machine.nodes == 2 ? 1 : 2));
    const double n = machine.ranks;
    return heads * least * 5 / 6 * 2 * (n - 1) / n;
  }
  const double within =
      rates.within * 2 * (heads - 1) / heads *
      tables::switch_efficiency[static_cast<std::size_t>(machine.gpus.generation)];
  const double across = (machine.nodes == 2 ? 2 : 1) * rates.across;
  return heads * std::min({within, across, switched_network(machine) / machine.heads()});
}

bool has_slow_ll(const NcclMachine& machine) {
  return machine.version < tables::first_fast_ll;
}

double ll_limit(const NcclMachine& machine) {
  if (has_slow_ll(machine) && machine.nodes == 1 &&
      machine.gpus.generation == GpuGeneration::hopper) {
    return tables::slow_ll_limit_hopper;
  }
  // AMD's limits hold for mixed hosts as well (ncclTuningGetConstantsIndexes()).
  const bool amd = machine.nodes > 1 && (machine.hosts.amd || machine.hosts.mixed);
  return amd ? tables::at(tables::ll_limits_amd, machine) : tables::at(tables::ll_limits, machine);
}

double tree_limit(const NcclMachine& machine, const tables::PerGeneration& table,
                  const tables::PerNodes& older_blackwell) {
  return machine.search.rings *
         limit_of(machine, table, tables::first_blackwell_trees, older_blackwell);
}

bool has_slow_channels(const NcclMachine& machine) {
  return tables::is_known_before(tables::first_faster_channels, machine);
}

/// The limit of all channels of a tree of Simple.
double simple_tree_limit(const NcclMachine& machine) {
  if (has_slow_channels(machine) && machine.gpus.generation == GpuGeneration::ampere) {
    return machine.search.rings * tables::at(tables::ampere_trees, machine);
  }
  return tree_limit(machine, tables::tree_channel, tables::tree_channel_of_older);
}

/// The limit of all channels of a tree of LL128.
double ll128_tree_limit(const NcclMachine& machine) {
  if (has_slow_channels(machine)) return machine.search.rings * tables::ll128_channel * 1e9;
  return tree_limit(machine, tables::tree_ll128, tables::tree_ll128_of_older);
}

double tree_bandwidth(const NcclMachine& machine, std::string_view protocol, double simple) {
  double bus = std::min(0.92 * simple, simple_tree_limit(machine));
  if (protocol == "LL") bus = std::min(bus / 3.8, ll_limit(machine));
  if (protocol == "LL128") {
    bus = std::min(bus * (machine.nodes == 1 ? 7.0 / 9 : 120.0 / 128), ll128_tree_limit(machine));
  }
  // NCCL_TOPO_PATTERN_TREE: one GPU receives and sends all.
  const bool derated = machine.nodes > 1 && !machine.search.balanced_trees &&
                       !tables::is_known_before(tables::first_newer_latencies, machine);
  return derated ? 0.85 * bus : bus;
}

double ring_bandwidth(const NcclMachine& machine, const Protocol& protocol, double simple) {
  const double bus = protocol.efficiency * simple;
  if (protocol.name == "LL") {
    return std::min(has_slow_ll(machine) ? tables::slow_ll * bus : bus, ll_limit(machine));
  }
  if (protocol.name != "LL128") return bus;
  const bool slow =
      machine.version < tables::first_exposed_latency && machine.has_one_rank_per_node();
  const double limit = has_slow_channels(machine)
                           ? tables::ll128_channel * 1e9
                           : limit_of(machine, tables::ring_ll128, tables::first_blackwell,
                                      tables::ring_ll128_of_older);
  return std::min(slow ? 0.7 * simple : bus, machine.search.rings * limit);
}

/// `simple`: the bus bandwidth of Simple.
double derated(const NcclMachine& machine, const Protocol& protocol, double simple) {
  if (tables::is_known_before(tables::first_newer_latencies, machine) &&
      protocol.algorithm != "in-switch") {
    simple =
        std::min(simple, 1e9 * tables::most_bus[static_cast<std::size_t>(machine.gpus.generation)]);
  }
  if (protocol.algorithm == "tree") return tree_bandwidth(machine, protocol.name, simple);
  return protocol.algorithm == "ring" ? ring_bandwidth(machine, protocol, simple) : simple;
}

}  // namespace

double switched_network(const NcclMachine& machine) {
  if (machine.nodes == 1) return std::numeric_limits<double>::infinity();
  const double across = machine.between.value();
  const double channel = limit_of(machine, tables::switch_channel, tables::first_blackwell,
                                  tables::switch_channel_of_older);
  return std::min(machine.nodes == 2 ? 2 * across : across, machine.heads() * channel);
}

double simple_bandwidth(const NcclMachine& machine, std::string_view algorithm) {
  const double within = machine.in_node.value();
  const double across = machine.between.value();
  if (algorithm == "in-switch") return switched_bandwidth(machine);
  if (machine.nodes == 1) return within;
  if (algorithm == "ring") return std::min(within, across);
  // A tree crosses each NIC once each way between two nodes, twice among more.
  const double tree = machine.nodes == 2 ? 2 * across : across;
  return machine.has_one_rank_per_node() ? tree : std::min(within, tree);
}

double bus_bandwidth(const NcclMachine& machine, const Protocol& protocol) {
  return derated(machine, protocol, simple_bandwidth(machine, protocol.algorithm));
}

double expected_bandwidth(const NcclMachine& machine, const Protocol& protocol) {
  if (machine.search.tree_rate == BytesPerSecond{0} || protocol.algorithm == "in-switch") {
    // NCCL does not see the cables between switches.
    NcclMachine seen = machine;
    seen.between = machine.expected_network();
    return bus_bandwidth(protocol.algorithm == "in-switch" ? seen : as_searched(seen), protocol);
  }
  const bool tree = protocol.algorithm == "tree";
  const BytesPerSecond channel = tree ? machine.search.tree_rate : machine.search.ring_rate;
  return derated(machine, protocol, machine.search.rings * channel.value());
}

}  // namespace ringcast::detail
