#include "topology/nccl/nccl_bandwidth.hpp"

#include <algorithm>
#include <limits>

#include "topology/nccl/nccl_tables.hpp"

namespace ringcast::detail {
namespace {

namespace tables = nccl_tables;

/// One channel for each rank of a node, of which one's worth synchronises.
double switched_bandwidth(const NcclMachine& machine) {
  const double heads = heads_of(machine);
  double within = machine.in_node.value();
  if (machine.nodes > 1) within = std::min(within, machine.between.value());
  within *= 2 * tables::switch_efficiency[static_cast<std::size_t>(machine.generation)] *
            (heads - 1) / heads;
  return std::min(within, switched_network(machine));
}

double ll_limit(const NcclMachine& machine) {
  return machine.amd && machine.nodes > 1 ? tables::at(tables::ll_limits_amd, machine)
                                          : tables::at(tables::ll_limits, machine);
}

}  // namespace

double switched_network(const NcclMachine& machine) {
  if (machine.nodes == 1) return std::numeric_limits<double>::infinity();
  const double across = machine.between.value();
  return std::min(machine.nodes == 2 ? 2 * across : across,
                  heads_of(machine) * tables::at(tables::switch_channel, machine));
}

double simple_bandwidth(const NcclMachine& machine, std::string_view algorithm) {
  const double within = machine.in_node.value();
  const double across = machine.between.value();
  if (algorithm == "in-switch") return switched_bandwidth(machine);
  if (machine.nodes == 1) return within;
  if (algorithm == "ring") return std::min(within, across);
  // A tree crosses each card once each way between two nodes, twice among more.
  const double tree = machine.nodes == 2 ? 2 * across : across;
  return machine.has_one_rank_per_node() ? tree : std::min(within, tree);
}

double bus_bandwidth(const NcclMachine& machine, const Protocol& protocol) {
  double bus = simple_bandwidth(machine, protocol.algorithm);
  const double rings = machine.rings;
  if (protocol.algorithm == "tree") {
    bus = std::min(0.92 * bus, rings * tables::at(tables::tree_channel, machine));
    if (protocol.name == "LL") bus = std::min(bus / 3.8, ll_limit(machine));
    if (protocol.name == "LL128") {
      bus = std::min(bus * (machine.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                     rings * tables::at(tables::tree_ll128, machine));
    }
    // NCCL_TOPO_PATTERN_TREE: one GPU receives and sends all.
    if (machine.has_one_rank_per_node()) bus *= 0.85;
  } else if (protocol.algorithm == "ring") {
    bus *= protocol.efficiency;
    if (protocol.name == "LL") bus = std::min(bus, ll_limit(machine));
    if (protocol.name == "LL128") {
      bus = std::min(bus, rings * tables::at(tables::ring_ll128, machine));
    }
  }
  return bus;
}

}  // namespace ringcast::detail
