#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ringcast {

/// A constant as one machine has it.
struct MachineSample {
  double value;
  /// The file in scenarios/published that it comes from, without `.yaml`; empty: another source.
  std::string_view set;
};

/// A constant of link classes or transports that measurements of whole machines gave: one value for
/// all machines.
struct MeasuredConstant {
  std::string_view name;
  double steps;       // rounded to this part of 1
  double by_default;  // without any measurement
  std::string_view default_source;
  std::vector<MachineSample> samples;

  /// The geometric mean of the samples, rounded.
  [[nodiscard]] double value() const;
  /// The mean of the other samples, not rounded; by_default if there is none.
  [[nodiscard]] double without(std::string_view set) const;
  [[nodiscard]] bool comes_from(std::string_view set) const;
};

/// Factors on the figures of NCCL's tuner, which choose between protocols of one machine well, but
/// are not what each machine takes: LL's latency through PCIe, through host memory, and over the
/// NVLinks of Ampere and Blackwell; LL128's efficiency through the NVSwitches of V100 and A100, and
/// RCCL's over xGMI.
inline constexpr std::string_view ll_latency_p2p = "LL latency through PCIe";
inline constexpr std::string_view ll_latency_staged = "LL latency through host memory";
inline constexpr std::string_view ll_latency_ampere = "LL latency, NVLink of Ampere";
inline constexpr std::string_view ll_latency_blackwell = "LL latency, NVLink of Blackwell";
inline constexpr std::string_view ll128_rate_nvswitch = "LL128 efficiency, NVSwitch of V100, A100";
inline constexpr std::string_view ll128_rate_xgmi = "LL128 efficiency, xGMI";
/// In a node; between two domains of 64 GPUs 256 MiB and 2 GiB take what NCCL expects.
inline constexpr std::string_view ll128_rate_blackwell = "LL128 efficiency, NVLink of Blackwell";

/// A network card at a root port of an EPYC of PCIe 4.0 (Rome, Milan) and a GPU at another, in
/// GB/s. The card is not the limit: it reaches 24.3 GB/s with host memory (mochi-hpc-experiments,
/// Polaris).
inline constexpr std::string_view amd_card_peers = "AMD of PCIe 4.0, GB/s of a card with GPUs";

/// The latency of a message over Google's GPUDirect-TCPXO, in us.
inline constexpr std::string_view tcpxo_message = "tcpxo-200g, us of a message";

/// The rate of the thread that copies a rank's data into TCP sockets and out of them, in GB/s, and
/// what a message takes longer than over RDMA, in us; assumed of GPUDirect-TCPX too.
inline constexpr std::string_view tcp_copy = "socket_copy_rate";
inline constexpr std::string_view tcp_message = "socket_latency";

/// What a message received by GPUDirect RDMA takes longer over EFA on A100 and older: NCCL flushes
/// what arrived (src/transport/net.cc; notes in aws-ofi-nccl, src/platform-aws.cpp).
inline constexpr std::string_view efa_flush = "efa, us of a flush";

/// What a message waits for the one before over EFA where nothing is flushed, in us: the chunks of
/// a tree's channel, and until the pipeline of an in-switch sum is full, those of all its channels.
inline constexpr std::string_view efa_chunk = "efa, us of a chunk";

/// What a message of more than 16 KiB takes longer over libfabric's provider CXI, in us: its
/// receiver fetches it.
inline constexpr std::string_view cxi_rendezvous = "slingshot, us of a rendezvous";

/// The time of a step of an in-switch sum for each head of a channel, beside its transfers, in us:
/// the kernel copies a chunk for each of them, one after the other (ScatterGatherOp() in NCCL's
/// src/device/prims_simple.h), and no thread copies while the block synchronises.
inline constexpr std::string_view switched_step_hopper = "in-switch sums, us of a step and head";
inline constexpr std::string_view switched_step_blackwell =
    "in-switch sums of Blackwell, us of a step and head";

/// The share of the links' rate that sums in switches reach beside the steps, and where a domain
/// has more GPUs than NCCL has heads, alone and between several such domains.
inline constexpr std::string_view switched_rate = "in-switch sums, share of the links";
inline constexpr std::string_view switched_rate_of_racks =
    "in-switch sums of more than 32 Blackwell, share of the links";
inline constexpr std::string_view switched_rate_between_racks =
    "in-switch sums between racks of Blackwell, share of the links";

/// The chunks of each head that are on the way over NVLink until the pipeline of an in-switch sum
/// is full.
inline constexpr std::string_view switched_fill_hopper = "in-switch sums, loops to fill";
inline constexpr std::string_view switched_fill_blackwell =
    "in-switch sums of Blackwell, loops to fill";

/// The share of the NVLinks' rate that rings of Simple reach in a node of Blackwell.
inline constexpr std::string_view ring_rate_blackwell = "ring of Blackwell, share of the links";

/// The bus bandwidth of a channel of in-switch sums between two nodes of Hopper, in GB/s.
inline constexpr std::string_view switched_channel =
    "in-switch sums between two nodes, GB/s of a channel";

/// What a tree of Simple takes longer between nodes of MI300X, MI325X and MI308X than the latencies
/// of RCCL's tuner and its chunks, whatever the size, in us. Not so on MI355X. Why is not known.
inline constexpr std::string_view rccl_tree = "RCCL on MI300X, us of a tree of Simple";

/// The time in which a process launches one kernel, in us.
inline constexpr std::string_view kernel_launch = "launch of a kernel, us";

/// What a collective over the NVLinks of V100 and A100 takes longer where one process drives
/// several GPUs, in us, if it uses all of NCCL's channels; else their share. It depends neither on
/// the size nor on the number of GPUs, and is not hidden behind the transfers as launches are. Not
/// so on H100. Why is not known.
inline constexpr std::string_view one_process_call = "V100 and A100 in one process, us of a call";

[[nodiscard]] std::span<const MeasuredConstant> measured_constants();
/// The value of the constant of this name; without the samples of `left_out`, if that is not empty.
[[nodiscard]] double measured_constant(std::string_view name, std::string_view left_out = {});

}  // namespace ringcast
