#include "topology/nccl/nccl_tuner.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_bandwidth.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/rccl_programs.hpp"
#include "topology/nccl/rccl_tables.hpp"

namespace ringcast {
namespace {

namespace tables = nccl_tables;

bool is_rccl_between_nodes(const NcclMachine& machine) {
  return machine.xgmi_mesh && machine.nodes > 1;
}

/// NCCL's estimate of one protocol on one machine.
class Estimate {
 public:
  Estimate(const NcclMachine& machine, const TransportProfile& profile, const Protocol& protocol,
           Bytes size)
      : machine_{&machine}, profile_{&profile}, protocol_{protocol}, size_{size} {}

  [[nodiscard]] bool is_possible() const {
    if (profile_->nccl_version < first_version()) return false;
    if (protocol_.algorithm == "in-switch") return machine_->switch_sums;
    if (protocol_.name == "LL128")
      return (machine_->nvlink || machine_->has_one_rank_per_node()) && machine_->near_cards;
    return protocol_.algorithm == "ring" || protocol_.algorithm == "tree";
  }

  [[nodiscard]] NcclChoice choice() {
    const double bus = detail::bus_bandwidth(*machine_, protocol_);
    NcclChoice chosen;
    if (protocol_.algorithm == "ring") set_ring_costs(bus);
    const double algorithm_bandwidth = estimated(bus) * ratio();
    chosen.estimate = latency() + size_ / BytesPerSecond{algorithm_bandwidth};
    if (is_rccl_between_nodes(*machine_) && protocol_.full_name() == "ring/Simple") {
      chosen.estimate += 2 * (machine_->nodes - 1) * rccl_tables::ring_simple_network;
    }
    if (protocol_.algorithm == "tree") std::tie(chosen.segment, chosen.messages) = tree_pieces();
    if (protocol_.algorithm == "in-switch")
      std::tie(chosen.segment, chosen.messages) = switched_pieces();
    if (protocol_.algorithm == "ring" && protocol_.name == "Simple") charge_slices();
    chosen.channels = detail::channels_in_use(*machine_, protocol_, size_);
    if (protocol_.algorithm != "in-switch") {
      take_measured();
      charge_lines(chosen.channels);
      charge_one_process(chosen.channels);
    }
    if (protocol_.full_name() == "ring/LL" && machine_->nodes > 1 &&
        !machine_->has_one_rank_per_node())
      run_ahead();
    chosen.protocol = std::move(protocol_);
    return chosen;
  }

 private:
  /// The release that has the algorithm and the protocol.
  [[nodiscard]] NcclVersion first_version() const {
    if (protocol_.algorithm == "in-switch") {
      return machine_->nodes == 1 ? tables::first_nvls : tables::first_nvls_tree;
    }
    if (protocol_.name == "LL128") return tables::first_ll128;
    return protocol_.algorithm == "tree" ? tables::first_tree : oldest_nccl;
  }
  /// Sums in switches between nodes are trees there, and corrected on hosts of x86 with Blackwell.
  [[nodiscard]] double correction() const {
    const bool switched = protocol_.algorithm == "in-switch" && machine_->nodes > 1 &&
                          machine_->generation == GpuGeneration::blackwell && !machine_->grace;
    return switched || protocol_.algorithm == "tree"
               ? tables::tree_correction(protocol_.name, size_)
               : 1;
  }

  /// The bus bandwidth that the library expects. In a node of MI300X RCCL ends LL128 where Simple
  /// is faster, between 16 and 32 MiB on four machines, so it expects what LL128 reaches.
  [[nodiscard]] double estimated(double bus) const {
    if (is_rccl_between_nodes(*machine_)) {
      return std::min(machine_->in_node, machine_->between).value() *
             rccl_tables::share(*machine_, protocol_, size_);
    }
    const bool tuned = machine_->xgmi_mesh && protocol_.name == "LL128";
    return bus * correction() * (tuned ? measured(ll128_rate_xgmi) : 1);
  }

  /// Algorithm bandwidth to bus bandwidth.
  [[nodiscard]] double ratio() const {
    const double n = machine_->ranks;
    return protocol_.algorithm == "tree" ? 0.5 : n / (2 * (n - 1));
  }

  /// What slows a ring's messages down beside the protocol's own figures.
  void set_ring_costs(double bus) {
    const double payload = protocol_.efficiency;
    protocol_.efficiency = bus / detail::simple_bandwidth(*machine_, protocol_.algorithm);
    if (machine_->nodes == 1) return;
    // Cards read LL's lines in host memory, which may be slower than NCCL's limit or the cards.
    const double host = machine_->through_host.value();
    if (protocol_.name == "LL" && host > 0)
      protocol_.efficiencies[PathKind::network] = std::min(payload, bus / host);
    if (machine_->has_one_rank_per_node()) take_latency_of_tree();
    protocol_.handshakes = static_cast<double>(machine_->nodes) / machine_->ranks;
    for (auto& [kind, latency] : protocol_.latencies)
      latency *= plateau();
  }

  /// In NCCL's estimate no hop of a ring between nodes takes less than a card's proxy for a
  /// message. Hops over NVLink do not wait for proxies, so it is in no predicted time.
  [[nodiscard]] Seconds least_hop() const {
    if (protocol_.algorithm != "ring" || machine_->nodes == 1) return Seconds{0};
    return (protocol_.name == "Simple" ? 3.0 : 1.0) * plateau() * tables::net_overhead(*machine_);
  }

  /// With one rank per node the network's latency is exposed as in a tree.
  void take_latency_of_tree() {
    const auto tree = std::ranges::find_if(profile_->protocols, [&](const Protocol& other) {
      return other.algorithm == "tree" && other.name == protocol_.name;
    });
    if (tree != profile_->protocols.end()) {
      protocol_.latencies[PathKind::network] = tree->latency_of(PathKind::network);
    }
  }

  /// "Plateau effect of ring"
  [[nodiscard]] double plateau() const {
    const auto share = static_cast<std::uint64_t>(machine_->channels()) *
                       static_cast<std::uint64_t>(machine_->ranks);
    if (protocol_.name != "Simple" || size_.count() / share < 64) return 1;
    return machine_->generation == GpuGeneration::volta ? 1.9 : 1.4;
  }

  /// A chunk travels as two slices of at most two steps of 512 KiB (ALLREDUCE_SLICESTEPS in NCCL's
  /// src/include/collectives.h). NCCL's estimate ignores that. Where the wire is the bottleneck,
  /// one slice is on it during the latency of the other; of the last hop nothing is left to be.
  /// Within a node the kernels synchronise for each slice, and copy nothing meanwhile: that shows
  /// over NVLink, where they are the bottleneck, and past a root complex, where it takes longest.
  /// In a node of MI300X or MI350X, RCCL's chunks are one slice (rcclUseOneSlice and
  /// ALLREDUCE_SLICESTEPS_SINGLE_NODE in its src/include/collectives.h).
  void charge_slices() {
    const double most = machine_->channels() * double{1 << 20};
    const double slices = std::min(static_cast<double>(size_.count()) / machine_->ranks / 2, most);
    const double hops = 2 * (machine_->ranks - 1);
    for (auto& [kind, latency] : protocol_.latencies) {
      const bool network = kind == PathKind::network;
      const double rate = (network ? machine_->between : machine_->in_node).value();
      if (kind == PathKind::nvlink) {
        if (!machine_->xgmi_mesh || machine_->nodes > 1) latency *= 2;
      } else if (rate > 0) {
        const double hidden = network || machine_->nodes > 1 ? 1 : 1 - machine_->past_root;
        latency -= hidden * (hops - 1) / hops * std::min(latency, Seconds{slices / rate});
      }
    }
  }

  void charge_lines(int channels) {
    const auto nvlink = protocol_.latencies.find(PathKind::nvlink);
    const bool by_lines = protocol_.name == "LL" || protocol_.full_name() == "ring/LL128";
    if (!by_lines || nvlink == protocol_.latencies.end() || machine_->xgmi_mesh) return;
    const auto [within, across] = detail::line_costs(*machine_, protocol_, size_, channels);
    nvlink->second += within;
    protocol_.latencies[PathKind::network] += across;
  }

  /// LL's buffers hold eight chunks (NCCL_STEPS in src/include/device.h): no rank of a ring waits
  /// for its own to arrive, as ours do, and the network's latency counts at hops between nodes.
  void run_ahead() {
    protocol_.crossings = protocol_.handshakes;
    protocol_.beside_crossings =
        (1 - protocol_.crossings) *
        protocol_.latency_of(machine_->nvlink ? PathKind::nvlink : PathKind::p2p);
  }

  /// The segment, and its messages between nodes.
  std::pair<Bytes, double> tree_pieces() {
    const detail::TreePipeline pipeline =
        detail::tree_pipeline(*machine_, protocol_, size_, profile_->nccl_version);
    protocol_.call_overhead += pipeline.fill;
    if (is_rccl_between_nodes(*machine_) && !machine_->mi350 && protocol_.name == "Simple") {
      protocol_.call_overhead += Seconds{measured(rccl_tree) * 1e-6};
    }
    protocol_.latencies[PathKind::network] += pipeline.store;
    protocol_.channel_rate = pipeline.rate;
    return {pipeline.segment, pipeline.messages};
  }

  /// Between nodes latencies count once, as in NCCL's estimate, and a channel has its limit.
  std::pair<Bytes, double> switched_pieces() {
    const bool blackwell = machine_->generation == GpuGeneration::blackwell;
    double& efficiency = protocol_.efficiencies[PathKind::nvlink];
    efficiency = detail::switched_efficiency(*machine_, profile_->left_out);
    // A ring through several nodes leaves out one hop of each.
    const double n = detail::heads_of(*machine_);
    const double links = machine_->in_node.value() * (machine_->nodes > 1 ? (n - 1) / n : 1);
    const double within = efficiency * links;
    const double network = detail::switched_network(*machine_) * ratio();
    const auto [segment, fill, steps, hidden, first] = detail::switched_pipeline(
        *machine_, size_, BytesPerSecond{within}, BytesPerSecond{std::min(within, network)});
    const auto step = blackwell ? switched_step_blackwell : switched_step_hopper;
    protocol_.call_overhead +=
        std::max(Seconds{0}, steps * Seconds{measured(step) * 1e-6} - hidden);
    if (machine_->nodes > 1) {
      // A rank sends (n + 1)/n bytes for each byte of the buffer.
      efficiency = std::min(efficiency, n * tables::at(tables::switch_channel, *machine_) *
                                            ratio() * (n + 1) / n / links);
      protocol_.call_overhead = latency() + fill;
      protocol_.latencies.clear();
    }
    return {segment, first};
  }

  [[nodiscard]] double measured(std::string_view name) const {
    return measured_constant(name, profile_->left_out);
  }

  /// What machines take where NCCL's estimate is off.
  void take_measured() {
    const bool ampere =
        machine_->nvlink && !machine_->xgmi_mesh && machine_->generation == GpuGeneration::ampere;
    const auto scale = [&](PathKind kind, std::string_view constant) {
      const auto latency = protocol_.latencies.find(kind);
      if (latency != protocol_.latencies.end()) latency->second *= measured(constant);
    };
    if (protocol_.name == "LL") {
      scale(PathKind::p2p, ll_latency_p2p);
      scale(PathKind::staged, ll_latency_staged);
      if (ampere) scale(PathKind::nvlink, ll_latency_ampere);
    }
    if (protocol_.name == "LL128" && (machine_->early_nvswitch || machine_->xgmi_mesh)) {
      protocol_.efficiencies[PathKind::nvlink] =
          protocol_.efficiency_of(PathKind::nvlink) *
          measured(machine_->xgmi_mesh ? ll128_rate_xgmi : ll128_rate_nvswitch);
    }
  }

  void charge_one_process(int channels) {
    if (profile_->gpus_per_process == 1 || !machine_->nvlink || machine_->xgmi_mesh ||
        machine_->generation > GpuGeneration::ampere)
      return;
    const double share = static_cast<double>(channels) / machine_->channels();
    protocol_.call_overhead += share * Seconds{measured(one_process_call) * 1e-6};
  }

  [[nodiscard]] Seconds latency() const {
    const Seconds in_node = std::max(
        protocol_.latency_of(machine_->nvlink ? PathKind::nvlink : PathKind::p2p), least_hop());
    const Seconds across = protocol_.latency_of(PathKind::network);
    const int per_node = machine_->ranks / machine_->nodes;
    const int hops = 2 * (machine_->ranks - 1);
    const int crossings = 2 * (machine_->nodes - 1);
    Seconds latency = protocol_.call_overhead;
    if (protocol_.algorithm == "ring") {
      latency += (hops - crossings) * in_node + crossings * across;
    } else {
      latency += 2 * detail::floor_log2(machine_->nodes) * across;
      if (protocol_.algorithm == "tree") latency += 2 * (per_node - 1) * in_node;
    }
    return latency;
  }

  const NcclMachine* machine_;
  const TransportProfile* profile_;
  Protocol protocol_;
  Bytes size_;
};

}  // namespace

std::vector<NcclChoice> nccl_choices(const NcclMachine& machine, const TransportProfile& profile,
                                     Bytes size, std::optional<std::string_view> algorithm) {
  std::vector<NcclChoice> choices;
  for (const Protocol& protocol : profile.protocols) {
    if (algorithm && protocol.algorithm != *algorithm) continue;
    Estimate estimate{machine, profile, protocol, size};
    if (estimate.is_possible()) choices.push_back(estimate.choice());
  }
  std::ranges::stable_sort(choices, {}, &NcclChoice::estimate);
  if (is_rccl_between_nodes(machine) && !choices.empty()) {
    const std::string& fastest = choices.front().protocol.algorithm;
    const auto taken = std::ranges::find_if(choices, [&](const NcclChoice& choice) {
      return choice.protocol.algorithm == fastest &&
             choice.protocol.name == rccl_tables::protocol_for(machine, size);
    });
    if (taken != choices.end()) std::rotate(choices.begin(), taken, taken + 1);
  }
  if (algorithm) return choices;
  if (auto program = detail::rccl_program(machine, profile, size)) {
    choices.insert(choices.begin(), *std::move(program));
  }
  return choices;
}

}  // namespace ringcast
