#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ringcast {

/// The value of a constant on one machine.
struct MachineSample {
  double value;
  /// Its file in scenarios/published, without `.yaml`; empty: another source.
  std::string_view set;
};

/// A constant of link classes or transports that was derived from measurements of whole machines,
/// and holds for all machines.
struct MeasuredConstant {
  std::string_view name;
  double steps;       // value() is rounded to 1/steps
  double by_default;  // without any measurement
  std::string_view default_source;
  std::vector<MachineSample> samples;

  /// The geometric mean of the samples, rounded.
  [[nodiscard]] double value() const;
  /// The mean of the other samples, not rounded; by_default if there is none.
  [[nodiscard]] double without(std::string_view set) const;
  [[nodiscard]] bool comes_from(std::string_view set) const;
};

/// Factors on the constants of NCCL's tuner, which rank the protocols of one machine well, but do
/// not give the times of each machine: LL's latency over PCIe, through host memory, and over the
/// NVLinks of Ampere and Blackwell; LL128's efficiency over the NVSwitches of V100 and A100, and
/// RCCL's over xGMI.
inline constexpr std::string_view ll_latency_p2p = "LL latency through PCIe";
inline constexpr std::string_view ll_latency_staged = "LL latency through host memory";
inline constexpr std::string_view ll_latency_ampere = "LL latency, NVLink of Ampere";
inline constexpr std::string_view ll_latency_blackwell = "LL latency, NVLink of Blackwell";
inline constexpr std::string_view ll128_rate_nvswitch = "LL128 efficiency, NVSwitch of V100, A100";
inline constexpr std::string_view ll128_rate_xgmi = "LL128 efficiency, xGMI";
/// Within a node; between two domains of 64 GPUs, 256 MiB and 2 GiB take the time that NCCL
/// expects.
inline constexpr std::string_view ll128_rate_blackwell = "LL128 efficiency, NVLink of Blackwell";

/// The fraction of a GPU's PCIe at which kernels of RCCL write to peers; packets of 64 bytes would
/// leave 0.89 of what those of 128 bytes do.
inline constexpr std::string_view rccl_peers = "RCCL, share of a GPU's PCIe";
/// The fraction of the rate of their PCIe at which two GPUs with P2P exchange since NCCL 2.25; with
/// 2.20 six pairs of RTX 3090 and 4090 have all of it. What changed is not known.
inline constexpr std::string_view peers_of_two = "two GPUs with P2P, share of their rate";

/// The bandwidth between a NIC and a GPU at different root ports of an EPYC with PCIe 4.0
/// (Rome, Milan), in GB/s. The NIC is not the limit: it reaches 24.3 GB/s with host memory
/// (mochi-hpc-experiments, Polaris).
inline constexpr std::string_view amd_nic_peers = "AMD of PCIe 4.0, GB/s of a NIC with GPUs";

/// The bandwidth at which kernels of a GPU read from the memory of an EPYC with PCIe 4.0 (Rome,
/// Milan) what another GPU has written there, in GB/s: a third of what other hosts reach, with
/// Genoa (18.5, 8x4090-genoa-48gb) among them. The cause is not known. Two hosts whose sockets are
/// several NUMA domains reach as much as others (8x4090, 4xa100-nc96).
inline constexpr std::string_view epyc_staging = "EPYC of PCIe 4.0, GB/s of kernels in its memory";

/// The latency of a message over Google's GPUDirect-TCPXO, in us.
inline constexpr std::string_view tcpxo_message = "tcpxo-200g, us of a message";

/// The rate of the thread that copies a rank's data into TCP sockets and out of them, in GB/s, and
/// the additional latency of a message over that of RDMA, in us, also assumed for GPUDirect-TCPX.
inline constexpr std::string_view tcp_copy = "socket_copy_rate";
inline constexpr std::string_view tcp_message = "socket_latency";
/// The former on Google's NICs, where NCCL copies with four threads for each connection, in GB/s.
inline constexpr std::string_view google_copy = "socket_copy_rate on Google's NICs";
/// The same over EFA without RDMA, where libfabric cuts messages into packets and copies them, in
/// GB/s.
inline constexpr std::string_view efa_copy = "socket_copy_rate over EFA";

/// The additional time of a message received by GPUDirect RDMA over EFA on A100 and older GPUs, for
/// NCCL's flush of received data (src/transport/net.cc; notes in aws-ofi-nccl,
/// src/platform-aws.cpp), in us.
inline constexpr std::string_view efa_flush = "efa, us of a flush";

/// The time that a message over EFA without flushes waits for the previous one, in us: among the
/// chunks of a tree's channel and, until the pipeline of an in-switch sum is full, among those of
/// all its channels.
inline constexpr std::string_view efa_chunk = "efa, us of a chunk";

/// The additional time of a message of more than 4 KiB over libfabric's provider CXI, which the
/// receiver fetches, in us.
inline constexpr std::string_view cxi_rendezvous = "slingshot, us of a rendezvous";

/// The time of a step of an in-switch sum per head of a channel, without its transfers, in us: the
/// kernel copies the chunks of the heads one after the other (ScatterGatherOp() in NCCL's
/// src/device/prims_simple.h), and no thread copies while the block synchronises.
inline constexpr std::string_view switched_step_hopper = "in-switch sums, us of a step and head";
inline constexpr std::string_view switched_step_blackwell =
    "in-switch sums of Blackwell, us of a step and head";

/// The fraction of the links' rate that in-switch sums reach, without the time of the steps: in
/// general, and for domains with more GPUs than NCCL has heads, alone and between several such
/// domains.
inline constexpr std::string_view switched_rate = "in-switch sums, share of the links";
inline constexpr std::string_view switched_rate_of_racks =
    "in-switch sums of more than 32 Blackwell, share of the links";
inline constexpr std::string_view switched_rate_between_racks =
    "in-switch sums between racks of Blackwell, share of the links";

/// The same of H20, whose chips have 78 multiprocessors where those of H100 have 132: a limit of
/// long sums, which hides the steps.
inline constexpr std::string_view switched_rate_of_h20 =
    "in-switch sums of H20, share of the links";

/// The chunks per head that are in flight over NVLink until the pipeline of an in-switch sum is
/// full.
inline constexpr std::string_view switched_fill_hopper = "in-switch sums, loops to fill";
inline constexpr std::string_view switched_fill_blackwell =
    "in-switch sums of Blackwell, loops to fill";

/// The most heads of a channel whose steps follow each other until that pipeline is full. In later
/// loops the steps of all heads do.
inline constexpr std::string_view switched_fill_heads = "in-switch sums, heads to fill";

/// The fraction of the NVLinks' rate that rings with Simple reach in a node with Blackwell GPUs.
inline constexpr std::string_view ring_rate_blackwell = "ring of Blackwell, share of the links";

/// The same of two GPUs of any generation at NVSwitches. Of the three operations of a loop the
/// first only sends and the last only receives (runRing() in src/device/all_reduce.h); of eight
/// GPUs' fifteen also two.
inline constexpr std::string_view ring_rate_of_two = "ring of two GPUs, share of the links";

/// The bus bandwidth of a channel of rings with Simple between nodes of Hopper, in GB/s, whose
/// buffer is 4 MiB; with 8 MiB none is seen (EFA, TCPXO). A node with fewer than eight rings has
/// more channels for each (ncclTopoPostset() in NCCL's src/graph/connect.cc).
inline constexpr std::string_view ring_channel = "rings between nodes of Hopper, GB/s of a channel";

/// The bus bandwidth of a channel of in-switch sums between two nodes of Hopper, in GB/s.
inline constexpr std::string_view switched_channel =
    "in-switch sums between two nodes, GB/s of a channel";

/// The additional time of a tree with Simple between nodes of MI300X, MI325X or MI308X, over the
/// latencies of RCCL's tuner and its chunks, at any size, in us. Not on MI355X; the cause is not
/// known.
inline constexpr std::string_view rccl_tree = "RCCL on MI300X, us of a tree of Simple";

/// The fraction of a network's rate that LL reaches: the receiver's kernels poll its lines in host
/// memory.
inline constexpr std::string_view ll_between_nodes = "LL, share of the rate between nodes";

/// GB10, whose NIC cannot access the GPU's memory: what a message between nodes takes in addition,
/// and the fraction of the network's rate that LL128 reaches.
inline constexpr std::string_view gb10_message = "GB10, us of a message between nodes";
inline constexpr std::string_view gb10_ll128 = "GB10, share of the network's rate of LL128";

/// The fraction of NCCL's rate that kernels of RCCL reach through host memory, with Simple.
inline constexpr std::string_view rccl_staging = "RCCL, share of NCCL's rate in host memory";

/// The fraction of an xGMI link's rate that a ring of two channels reaches, the only ones between
/// three, five, six or seven GPUs of a mesh.
inline constexpr std::string_view rccl_two_channels = "RCCL, two channels, share of an xGMI link";

/// The time in which a process launches one kernel, in us, with CUDA and with HIP.
inline constexpr std::string_view kernel_launch = "launch of a kernel, us";
inline constexpr std::string_view hip_launch = "launch of a kernel with HIP, us";

/// The additional time of a collective over the NVLinks of V100 and A100 if one process drives
/// several GPUs, in us, with all of NCCL's channels; with fewer, in proportion. It does not depend
/// on the size or the number of GPUs, and does not overlap with the transfers as launches do. Not
/// on H100; the cause is not known.
inline constexpr std::string_view one_process_call = "V100 and A100 in one process, us of a call";

[[nodiscard]] std::span<const MeasuredConstant> measured_constants();
/// The value of the constant of this name; without the samples of `left_out`, if that is not empty.
[[nodiscard]] double measured_constant(std::string_view name, std::string_view left_out = {});

}  // namespace ringcast
