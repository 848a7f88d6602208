#include "topology/nccl/nccl_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_bandwidth.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_older_tables.hpp"
#include "topology/nccl/nccl_search.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/rccl_tables.hpp"

namespace ringcast::detail {
namespace tables = nccl_tables;

namespace {

void scale_latencies(Protocol& protocol, double factor) {
  for (auto& [kind, latency] : protocol.latencies)
    latency *= factor;
}

}  // namespace

bool is_rccl_between_nodes(const NcclMachine& machine) {
  return machine.xgmi_mesh && machine.nodes > 1;
}

double algorithm_share(const NcclMachine& machine, std::string_view algorithm) {
  const double n = machine.ranks;
  return algorithm == "tree" ? 0.5 : n / (2 * (n - 1));
}

NcclEstimate::NcclEstimate(const NcclMachine& machine, const TransportProfile& profile,
                           Protocol protocol, Bytes size)
    : machine_{&machine},
      profile_{&profile},
      protocol_{std::move(protocol)},
      expected_{protocol_},
      size_{size},
      bus_{bus_bandwidth(as_it_runs(machine), protocol_)} {
  const bool crosses = protocol_.algorithm == "ring" && machine.nodes > 1;
  if (crosses && machine.has_one_rank_per_node()) {
    take_latency_of_tree(protocol_);
    if (!is_older_than(tables::first_exposed_latency)) take_latency_of_tree(expected_);
  }
  take_older_latencies();
  take_older_switch_latency();
  take_reported_latency();
  take_latencies_of_rccl();
  if (crosses) scale_latencies(protocol_, plateau());
  scale_latencies(expected_, expected_plateau());
  expected_.call_overhead *= expected_plateau();
}

bool NcclEstimate::is_possible() const {
  if (is_older_than(first_version())) return false;
  if (protocol_.name == "LL128" && machine_->rccl && !rccl_tables::has_ll128(*machine_))
    return false;
  if (protocol_.algorithm == "in-switch") return machine_->sums_in_switches();
  if (protocol_.name == "LL128") {
    if (is_older_than(tables::first_ll128_of_all) && !machine_->gpus.early_ll128) return false;
    const bool mixed = machine_->gpus.mixed && (machine_->gpus.generation < GpuGeneration::hopper ||
                                                is_older_than(tables::first_mixed_ll128));
    return (machine_->nvlink || machine_->has_one_rank_per_node()) && machine_->near_nics &&
           !machine_->gpus.pascal && !mixed;
  }
  return protocol_.algorithm == "ring" || protocol_.algorithm == "tree";
}

/// The release that has the algorithm and the protocol.
NcclVersion NcclEstimate::first_version() const {
  if (protocol_.name == "LL128") return tables::first_ll128;
  return protocol_.algorithm == "tree" ? tables::first_tree : oldest_nccl;
}

/// The hops of a ring between nodes, as the machine's release counts them.
int NcclEstimate::expected_crossings() const {
  const int nodes = machine_->nodes;
  const bool closed = !is_older_than(tables::first_closed_rings) &&
                      tables::is_known_before(tables::first_open_rings, *machine_);
  return nodes == 1 ? 0 : 2 * (closed ? nodes : nodes - 1);
}

Seconds NcclEstimate::latency() const {
  return latency_of(protocol_, 2 * (machine_->nodes - 1));
}

Seconds NcclEstimate::latency_of(const Protocol& protocol, int crossings) const {
  const Seconds in_node = std::max(
      protocol.latency_of(machine_->nvlink ? PathKind::nvlink : PathKind::p2p), least_hop());
  const Seconds across = protocol.latency_of(PathKind::network);
  const int per_node = machine_->ranks / machine_->nodes;
  const int hops = 2 * (machine_->ranks - 1);
  Seconds latency = protocol.call_overhead;
  if (protocol.algorithm == "ring") {
    latency += (hops - crossings) * in_node + crossings * across;
  } else {
    latency += 2 * floor_log2(machine_->nodes) * across;
    latency += (protocol.algorithm == "tree" ? 2 * (per_node - 1) : 1) * in_node;
  }
  return latency;
}

void NcclEstimate::take_older_latencies() {
  const auto* const older = tables::older_latencies(protocol_, *machine_);
  if (older == nullptr) return;
  const bool slower = protocol_.name == "LL" && machine_->nodes > 1 &&
                      tables::is_known_before(tables::first_newer_latencies, *machine_);
  const double within = 1e-6 * (slower ? tables::slower_ll : 1);
  expected_.call_overhead = Seconds{older->call * 1e-6};
  expected_.latencies[PathKind::nvlink] = Seconds{older->nvlink * within};
  expected_.latencies[PathKind::p2p] = Seconds{older->pcie * within};
  expected_.latencies[PathKind::network] = Seconds{older->network * 1e-6};
}

void NcclEstimate::take_older_switch_latency() {
  if (protocol_.algorithm == "in-switch" && is_older_than(tables::first_switch_limits)) {
    Seconds& network = expected_.latencies[PathKind::network];
    network = std::min(network, tables::network_of_older_switches);
  }
}

/// What the network's plugin reports replaces NCCL's own latency of the network in the older
/// releases, and is added in the newer, for Simple twice, as a flush follows the message.
void NcclEstimate::take_reported_latency() {
  const Seconds reported = machine_->reported_latency;
  if (reported == Seconds{0} || is_older_than(tables::first_reported_latency)) return;
  Seconds& network = expected_.latencies[PathKind::network];
  if (!is_older_than(tables::first_added_latency)) {
    network += (protocol_.name == "Simple" ? 2 : 1) * reported;
  } else if (protocol_.algorithm != "in-switch") {
    network = reported;
  }
}

void NcclEstimate::take_latencies_of_rccl() {
  const auto* const model = rccl_tables::model_of(*machine_);
  if (model == nullptr) return;
  const rccl_tables::Expectation& expected = rccl_tables::expectation_of(*model, protocol_);
  if (expected.across == 0) return;
  expected_.latencies[PathKind::nvlink] = Seconds{expected.within * 1e-6};
  expected_.latencies[PathKind::network] = Seconds{expected.across * 1e-6};
}

Seconds NcclEstimate::time() const {
  const double bandwidth = expected_bus() * algorithm_share(*machine_, protocol_.algorithm);
  Seconds time = latency_of(expected_, expected_crossings()) + size_ / BytesPerSecond{bandwidth};
  if (is_rccl_between_nodes(*machine_) && protocol_.full_name() == "ring/Simple") {
    time += 2 * (machine_->nodes - 1) * rccl_tables::ring_simple_network;
  }
  return time;
}

/// The bus bandwidth that the library expects. In a node of MI300X, RCCL changes from LL128 to
/// Simple where Simple is faster, between 16 and 32 MiB on four machines, so it expects the
/// measured bandwidth of LL128.
double NcclEstimate::expected_bus() const {
  if (const auto* const model = rccl_tables::model_of(*machine_)) {
    const BytesPerSecond rings = machine_->nodes == 1
                                     ? machine_->in_node
                                     : std::min(machine_->in_node, machine_->expected_network());
    return rccl_tables::listings(*machine_) * rings.value() *
           rccl_tables::share(*machine_, *model, protocol_, size_);
  }
  const bool tuned = machine_->xgmi_mesh && protocol_.name == "LL128";
  return expected_bandwidth(*machine_, protocol_) * correction() *
         (tuned ? measured_constant(ll128_rate_xgmi, profile_->left_out) : 1);
}

/// Between nodes, in-switch sums are trees, and NCCL corrects them on x86 hosts with Blackwell.
double NcclEstimate::correction() const {
  const bool switched = protocol_.algorithm == "in-switch" && machine_->nodes > 1 &&
                        machine_->gpus.generation == GpuGeneration::blackwell &&
                        !machine_->hosts.grace && !is_older_than(tables::first_blackwell);
  return switched || protocol_.algorithm == "tree"
             ? tables::tree_correction(protocol_.name, size_, machine_->version)
             : 1;
}

/// NCCL expects each hop of a ring between nodes to take at least the network proxy's time for a
/// message. Hops over NVLink do not wait for proxies, so no predicted time includes it.
Seconds NcclEstimate::least_hop() const {
  const bool older = tables::is_known_before(tables::first_newer_latencies, *machine_);
  if (protocol_.algorithm != "ring" || machine_->nodes == 1 || older) return Seconds{0};
  return (protocol_.name == "Simple" ? 3.0 : 1.0) * expected_plateau() *
         tables::net_overhead(*machine_);
}

/// With one rank per node the network's latency is exposed as in a tree.
void NcclEstimate::take_latency_of_tree(Protocol& ring) const {
  const auto tree = std::ranges::find_if(profile_->protocols, [&](const Protocol& other) {
    return other.algorithm == "tree" && other.name == ring.name;
  });
  if (tree != profile_->protocols.end()) {
    ring.latencies[PathKind::network] = tree->latency_of(PathKind::network);
  }
}

/// "Plateau effect of ring": between nodes, and since 2.32 over the NVLinks of Blackwell, where it
/// is less for few ranks and for long messages (src/tuning/ring.cc).
double NcclEstimate::plateau() const {
  const bool within = machine_->nodes == 1;
  const bool nvlink = machine_->nvlink && machine_->gpus.generation == GpuGeneration::blackwell &&
                      !is_older_than(tables::first_plateau_within);
  const auto share = static_cast<std::uint64_t>(machine_->channels()) *
                     static_cast<std::uint64_t>(machine_->ranks);
  const std::uint64_t bytes = size_.count() / share;
  if (protocol_.full_name() != "ring/Simple" || (within && !nvlink) || bytes < 64) return 1;
  const double most = machine_->gpus.generation == GpuGeneration::volta ? 0.9 : 0.4;
  if (!within) return 1 + most;
  constexpr double least = 0.1;  // of the additional latency
  constexpr double medium = 256 << 10;
  const double long_messages = std::clamp(static_cast<double>(bytes) / medium - 1, 0.0, 1.0);
  const int steps = 2 * (machine_->ranks - 1);
  return 1 + (1 - std::pow(least / most, steps - 1)) * (most - least * long_messages);
}

double NcclEstimate::expected_plateau() const {
  if (rccl_tables::model_of(*machine_) != nullptr) return 1;
  if (!tables::is_known_before(tables::first_newer_latencies, *machine_)) return plateau();
  const auto least = static_cast<std::uint64_t>(machine_->ranks) * (64 << 10);
  const bool rises =
      protocol_.full_name() == "ring/Simple" && machine_->nodes > 1 && 16 * size_.count() >= least;
  if (!rises) return 1;
  return machine_->gpus.generation < GpuGeneration::hopper ? tables::plateau_of_others
                                                           : tables::plateau_of_hopper;
}

}  // namespace ringcast::detail
