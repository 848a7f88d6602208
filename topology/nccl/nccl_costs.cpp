#include "topology/nccl/nccl_costs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_bandwidth.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/nccl_trees.hpp"

namespace ringcast::detail {
namespace {

namespace tables = nccl_tables;

class Costs {
 public:
  Costs(const NcclEstimate& estimate, const NcclMachine& machine, const TransportProfile& profile,
        Bytes size)
      : estimate_{&estimate},
        machine_{&machine},
        profile_{&profile},
        protocol_{estimate.protocol()},
        size_{size} {}

  NcclChoice choice() {
    NcclChoice chosen;
    chosen.estimate = estimate_->time();
    chosen.channels = channels_in_use(*machine_, protocol_, size_);
    if (protocol_.algorithm == "in-switch") {
      std::tie(chosen.segment, chosen.messages) = switched_pieces();
    } else {
      if (protocol_.algorithm == "tree") {
        take_tree(chosen);
      } else {
        take_ring();
      }
      take_measured();
      charge_lines(chosen.channels);
      charge_one_process(chosen.channels);
    }
    if (protocol_.algorithm == "ring" && protocol_.name != "Simple" &&
        !machine_->has_one_rank_per_node()) {
      run_ahead();
    }
    chosen.protocol = std::move(protocol_);
    return chosen;
  }

 private:
  /// The efficiencies, handshakes and slices of a ring's messages.
  void take_ring() {
    const double bus = estimate_->bus();
    const double payload = protocol_.efficiency;
    protocol_.efficiency = bus / simple_bandwidth(*machine_, protocol_.algorithm);
    if (machine_->nodes > 1) {
      // NICs read LL's lines in host memory, which may be slower than NCCL's limit or the NICs.
      if (protocol_.name == "LL" && machine_->through_host > BytesPerSecond{0}) {
        protocol_.efficiencies[PathKind::network] = payload;
        protocol_.network_rate = BytesPerSecond{bus / machine_->paths};
      }
      protocol_.handshakes = static_cast<double>(machine_->nodes) / machine_->ranks;
    }
    if (protocol_.name == "Simple") charge_slices();
  }

  /// A chunk is sent as two slices of at most two steps of 512 KiB (ALLREDUCE_SLICESTEPS in NCCL's
  /// src/include/collectives.h). NCCL's estimate ignores that. Where the wire is the bottleneck, it
  /// carries one slice during the latency of the other, so that the latency is hidden, except on
  /// the last hop. Within a node the kernels synchronise for each slice and copy nothing meanwhile.
  /// That matters over NVLink, where kernels are the bottleneck, and past a root complex, where it
  /// takes longest. In a node of MI300X or MI350X, RCCL's chunks are one slice (rcclUseOneSlice and
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
        const double hidden = machine_->nodes > 1 ? 1 : 1 - machine_->past_root;
        latency -= hidden * (hops - 1) / hops * std::min(latency, Seconds{slices / rate});
      }
    }
  }

  void charge_lines(int channels) {
    const auto nvlink = protocol_.latencies.find(PathKind::nvlink);
    const bool by_lines = protocol_.name == "LL" || protocol_.full_name() == "ring/LL128";
    if (!by_lines || nvlink == protocol_.latencies.end() || machine_->xgmi_mesh) return;
    const auto [within, across] = line_costs(*machine_, protocol_, size_, channels);
    nvlink->second += within;
    protocol_.latencies[PathKind::network] += across;
  }

  /// The buffers of LL and LL128 hold eight chunks (NCCL_STEPS in src/include/device.h), so NCCL's
  /// ranks, unlike ours, do not wait for their own sends to arrive. A step therefore takes the mean
  /// latency of all hops, not that of the slowest.
  void run_ahead() {
    const Seconds within = protocol_.name == "LL" ? mean_within() : nccl_tables::ring_ll128_hop;
    protocol_.crossings = protocol_.handshakes;
    protocol_.beside_crossings = (1 - protocol_.crossings) * within;
    if (protocol_.name != "LL") return;
    for (const auto& [kind, part] : machine_->hops)
      protocol_.latencies[kind] = within;
  }

  [[nodiscard]] Seconds mean_within() const {
    Seconds mean{0};
    for (const auto& [kind, part] : machine_->hops)
      mean += part * protocol_.latency_of(kind);
    return mean;
  }

  void take_tree(NcclChoice& chosen) {
    const TreePipeline pipeline = tree_pipeline(*machine_, protocol_, size_);
    protocol_.call_overhead += pipeline.fill;
    if (is_rccl_between_nodes(*machine_) && !machine_->gpus.mi350 && protocol_.name == "Simple") {
      protocol_.call_overhead += Seconds{measured(rccl_tree) * 1e-6};
    }
    protocol_.latencies[PathKind::network] += pipeline.store;
    // Our program's messages of LL and LL128 are shorter than NCCL's.
    if (protocol_.name != "Simple") protocol_.handshakes = 0;
    protocol_.channel_rate = pipeline.rate;
    protocol_.network_rate = pipeline.across;
    chosen.segment = pipeline.segment;
    chosen.messages = pipeline.messages;
    chosen.in_flight = pipeline.in_flight;
    chosen.reduce_first = reduces_first(*machine_, protocol_);
  }

  /// The segment, and its messages between nodes. In a node the time to fill the pipeline replaces
  /// NCCL's latency of the whole collective. Between nodes latencies count once, as in NCCL's
  /// estimate, and each channel has a rate limit.
  std::pair<Bytes, double> switched_pieces() {
    const bool blackwell = machine_->gpus.generation == GpuGeneration::blackwell;
    double& efficiency = protocol_.efficiencies[PathKind::nvlink];
    efficiency = switched_efficiency(*machine_, profile_->left_out);
    // A ring through several nodes omits one hop in each.
    const double n = static_cast<double>(machine_->ranks) / machine_->nodes;
    const double links = machine_->in_node.value() * (machine_->nodes > 1 ? (n - 1) / n : 1);
    const double within = efficiency * links;
    if (machine_->gpus.h20) efficiency = measured(switched_rate_of_h20);
    const double share = algorithm_share(*machine_, protocol_.algorithm);
    const double network = switched_network(with_newest_release(*machine_)) * share;
    const auto [segment, fill, steps, hidden, first] = switched_pipeline(
        *machine_, size_, BytesPerSecond{within},
        BytesPerSecond{std::min(efficiency * links, network)}, profile_->left_out);
    const auto step = blackwell ? switched_step_blackwell : switched_step_hopper;
    protocol_.call_overhead +=
        fill + std::max(Seconds{0}, steps * Seconds{measured(step) * 1e-6} - hidden);
    if (machine_->nodes > 1) {
      // A rank sends (n + 1)/n bytes for each byte of the buffer.
      const double channel = machine_->nodes == 2 && !blackwell
                                 ? measured(switched_channel) * 1e9
                                 : tables::at(tables::switch_channel, *machine_);
      const double most = machine_->heads() * channel * share * (n + 1) / n / links;
      protocol_.by_channels = most < efficiency;
      efficiency = std::min(efficiency, most);
      protocol_.call_overhead += estimate_->latency() - estimate_->protocol().call_overhead;
    }
    protocol_.latencies.clear();
    return {segment, first};
  }

  [[nodiscard]] double measured(std::string_view name) const {
    return measured_constant(name, profile_->left_out);
  }

  [[nodiscard]] bool has_nvlinks_of(GpuGeneration generation) const {
    return machine_->nvlink && !machine_->xgmi_mesh && machine_->gpus.generation == generation;
  }

  void scale_latency(PathKind kind, std::string_view constant) {
    const auto latency = protocol_.latencies.find(kind);
    if (latency != protocol_.latencies.end()) latency->second *= measured(constant);
  }

  void scale_rate(PathKind kind, std::string_view constant) {
    protocol_.efficiencies[kind] = protocol_.efficiency_of(kind) * measured(constant);
  }

  void scale_nvlinks(std::string_view constant) { scale_rate(PathKind::nvlink, constant); }

  /// Rings of several GPUs per node do not show it, nor does TCP, which is slower.
  [[nodiscard]] bool polls_host_memory() const {
    return machine_->nodes > 1 && !machine_->rccl && !profile_->is_over_tcp() &&
           (protocol_.algorithm == "tree" || machine_->has_one_rank_per_node());
  }

  void scale_low_latencies() {
    scale_latency(PathKind::p2p, ll_latency_p2p);
    scale_latency(PathKind::staged, ll_latency_staged);
    if (polls_host_memory()) scale_rate(PathKind::network, ll_between_nodes);
    if (has_nvlinks_of(GpuGeneration::ampere)) {
      scale_latency(PathKind::nvlink, ll_latency_ampere);
    }
    if (has_nvlinks_of(GpuGeneration::blackwell)) {
      scale_latency(PathKind::nvlink, ll_latency_blackwell);
    }
  }

  void scale_simple_rings() {
    if (has_nvlinks_of(GpuGeneration::blackwell)) scale_nvlinks(ring_rate_blackwell);
    if (machine_->gpus.generation == GpuGeneration::hopper && machine_->nodes > 1) {
      const double buffers =
          static_cast<double>(machine_->limits.channel_buffer.count()) / (4 << 20);
      protocol_.channel_rate = BytesPerSecond{buffers * measured(ring_channel) * 1e9};
    }
    if (machine_->part_of_mesh) scale_nvlinks(rccl_two_channels);
    if (machine_->rccl) scale_rate(PathKind::staged, rccl_staging);
    const bool pair = machine_->ranks == 2 && machine_->nodes == 1;
    if (pair && machine_->switch_link > BytesPerSecond{0}) scale_nvlinks(ring_rate_of_two);
  }

  /// In a node whose GPUs exchange over PCIe only, by P2P.
  void limit_peers() {
    if (!machine_->pcie_link || machine_->hops.contains(PathKind::nvlink)) return;
    if (machine_->rccl) {
      const double most = measured(rccl_peers) * machine_->pcie_link->value();
      protocol_.efficiencies[PathKind::p2p] = std::min(1.0, most / machine_->in_node.value());
    } else if (machine_->ranks == 2 && machine_->version >= nccl_tables::first_slow_peers) {
      scale_rate(PathKind::p2p, peers_of_two);
    }
  }

  void scale_ll128() {
    if (machine_->early_nvswitch || machine_->xgmi_mesh) {
      scale_nvlinks(machine_->xgmi_mesh ? ll128_rate_xgmi : ll128_rate_nvswitch);
    }
    if (has_nvlinks_of(GpuGeneration::blackwell) && machine_->nodes == 1) {
      scale_nvlinks(ll128_rate_blackwell);
    }
  }

  void take_gb10() {
    if (!machine_->gpus.gb10 || machine_->nodes == 1) return;
    protocol_.latencies[PathKind::network] += Seconds{measured(gb10_message) * 1e-6};
    if (protocol_.name == "LL128") scale_rate(PathKind::network, gb10_ll128);
  }

  /// Corrections of NCCL's estimate by measurements.
  void take_measured() {
    take_gb10();
    if (protocol_.name == "LL") scale_low_latencies();
    if (protocol_.name == "LL128") scale_ll128();
    if (protocol_.full_name() == "ring/Simple") scale_simple_rings();
    if (protocol_.name == "Simple" && machine_->nodes == 1) limit_peers();
  }

  void charge_one_process(int channels) {
    if (profile_->gpus_per_process == 1 || !machine_->nvlink || machine_->xgmi_mesh ||
        machine_->gpus.generation > GpuGeneration::ampere) {
      return;
    }
    const double share = static_cast<double>(channels) / machine_->channels();
    protocol_.call_overhead += share * Seconds{measured(one_process_call) * 1e-6};
  }

  const NcclEstimate* estimate_;
  const NcclMachine* machine_;
  const TransportProfile* profile_;
  Protocol protocol_;
  Bytes size_;
};

}  // namespace

NcclChoice nccl_costs(const NcclEstimate& estimate, const NcclMachine& machine,
                      const TransportProfile& profile, Bytes size) {
  return Costs{estimate, machine, profile, size}.choice();
}

}  // namespace ringcast::detail
