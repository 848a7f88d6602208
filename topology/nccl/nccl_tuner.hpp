#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/numbers/element.hpp"
#include "engine/schedule/ring_order.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// How NCCL divides the buffer of in-switch sums.
struct SwitchBuffers {
  int channels;
  Bytes chunk;  // of a head, the longest
};

/// The input of NCCL's tuner: a machine and the rings on it.
struct NcclMachine {
  int nodes = 1;
  int ranks = 1;
  struct Gpus {
    GpuGeneration generation = GpuGeneration::ampere;  // the oldest
    bool mixed = false;                                // of several generations
    bool pascal = false;                               // before Volta, by their model or NVLinks
    bool h20 = false;                                  // in some node
    bool gb10 = false;                                 // all, and not over TCP
    bool rubin = false;                                // of Blackwell's generation for the tuner
    bool early_ll128 = true;  // of a kind that has LL128 in all releases since 2.5
    bool mi250 = false;       // MI250, MI250X
    bool mi350 = false;       // MI350X, MI355X
  } gpus = {};
  struct Hosts {
    bool amd = false;    // AMD's CPUs in all nodes
    bool mixed = false;  // AMD's CPUs in some nodes only
    bool grace = false;  // NVIDIA's CPUs
  } hosts = {};

  // The links of GPUs.
  bool nvlink = false;            // connects all ring neighbours of a node
  bool switch_sums = false;       // NVLink SHARP: NVSwitches of the third generation or later
  bool early_nvswitch = false;    // NVSwitches of the first two generations
  BytesPerSecond switch_link{0};  // of a GPU to its NVSwitches
  std::optional<BytesPerSecond> pcie_link = {};  // the slowest of a GPU in the first node
  bool xgmi_mesh = false;                        // MI300 and later, fully connected
  bool part_of_mesh = false;                     // is_part_of_mesh(): two channels for each ring

  // The rings of the job, over which the rates are sums.
  int paths = 1;                              // their number
  double past_root = 0;                       // fraction of hops in nodes that cross a root complex
  std::map<PathKind, double> hops = {};       // fraction of hops in nodes, by kind
  BytesPerSecond in_node{0};                  // between ranks of a node
  BytesPerSecond between{0};                  // between nodes; zero for one node
  BytesPerSecond expected_between{0};         // the same as NCCL expects; zero: as `between`
  BytesPerSecond through_host{0};             // the same through host memory; zero: as `between`
  int nics = 0;                               // GPUs of a node at which rings leave it; zero: all
  bool near_nics = true;                      // GPUDirect RDMA to NICs below the GPUs' root complex
  std::optional<Rendezvous> rendezvous = {};  // of messages between nodes
  Seconds reported_latency{0};  // of the network, by its plugin, which enters NCCL's estimates

  /// What NCCL's graph search finds, to which its limits per channel refer.
  struct Search {
    int rings = 1;                // and as many trees
    BytesPerSecond ring_rate{0};  // of one ring
    BytesPerSecond tree_rate{0};  // of one tree, over PCIe; zero: as ring_rate
    bool balanced_trees = false;  // two GPUs of a node are as near to a NIC of the rings as any
  } search = {};
  struct Limits {
    Bytes channel_buffer{4 << 20};           // of Simple (NCCL_BUFFSIZE)
    int least_channels = 0;                  // NCCL_MIN_NCHANNELS
    int most_channels = most_nccl_channels;  // NCCL_MAX_NCHANNELS
  } limits = {};
  bool nvls = false;  // NCCL sets up in-switch sums, whether it chooses them or not
  NcclVersion version = newest_nccl;
  bool rccl = false;  // AMD's library; its releases are not distinguished

  /// The GPUs of a node that sum its part of a buffer in the switch.
  [[nodiscard]] int heads() const;
  /// The bandwidth between nodes of all rings together, as NCCL expects it.
  [[nodiscard]] BytesPerSecond expected_network() const {
    return expected_between > BytesPerSecond{0} ? expected_between : between;
  }
  /// The share of a head, in bytes per second.
  [[nodiscard]] double nic_rate() const { return expected_network().value() / heads(); }
  /// ncclNvlsChannels() in src/transport/nvls.cc and, between nodes of Blackwell since 2.30,
  /// ncclNvlsTreeSm100Tuning(), by the rate of the NICs.
  [[nodiscard]] SwitchBuffers switch_buffers() const;
  /// Whether the machine and the release have in-switch sums: since 2.17 in a node, since 2.18
  /// between nodes, and for two GPUs of a node since 2.28 (ncclNvlsInit()).
  [[nodiscard]] bool sums_in_switches() const;
  /// The channels of a communicator: two for each ring of the search, four if these are fewer than
  /// eight and faster than 45 GB/s, at most most_channels, and no fewer than least_channels and,
  /// before 2.28, than in-switch sums have (ncclTopoPostset() in src/graph/connect.cc).
  [[nodiscard]] int channels() const;
  [[nodiscard]] bool has_one_rank_per_node() const { return ranks == nodes; }
};

/// `rings`: one order for each channel of the job, as channel_rings() gives them.
[[nodiscard]] NcclMachine nccl_machine(const TransferPaths& paths,
                                       std::span<const RingOrder> rings);

/// The rings of a job that NCCL uses for large buffers: those of channel_rings(), the first ones if
/// its search finds fewer channels (nccl_machine()); all without a tuner.
[[nodiscard]] std::vector<RingOrder> rings_of_nccl(const TransferPaths& paths);

/// Whether NVSwitches combine elements so (ncclNvlsSupported() in NCCL's src/include/device.h):
/// they add all types, and find minima and maxima of all but float32 and float64. NCCL computes
/// averages as other sums than these.
[[nodiscard]] bool switches_combine(Reduction reduction);

/// What NCCL chooses for one size.
struct NcclChoice {
  Protocol protocol;  // its latencies and efficiencies on this machine
  /// NCCL's own estimate: latency + size / bandwidth.
  Seconds estimate{0};
  /// The segment that our program sends at once: NCCL's chunks of all channels of a ring; absent
  /// for rings.
  std::optional<Bytes> segment = {};
  /// Trees: the messages between nodes per segment. In-switch sums: the messages of all channels
  /// until the pipeline is full.
  double messages = 1;
  /// Rings and trees: the number that NCCL uses for this size.
  int channels = 1;
  /// Trees: the reduction ends before the broadcast begins.
  bool reduce_first = false;
  /// Trees: the most bytes of a channel in flight, if there is a limit.
  std::optional<Bytes> in_flight = {};
};

/// The choices of a profile that this machine and its release of NCCL support (trees since 2.4,
/// LL128 since 2.5, in-switch sums since 2.17, between nodes since 2.18), the fastest by NCCL's
/// estimate first; only those of `algorithm` if that is given.
///
/// The rules and constants are those of ncclTopoTuneModel() and ncclTopoGetAlgoTime() in
/// NVIDIA/nccl, src/graph/tuning.cc, of the machine's release, with the latencies of the profile.
/// With n ranks, the latency L is the call's overhead, and for a ring 2(n-1) hops, 2(nodes-1) of
/// them between nodes; for a tree 2 (n / nodes - 1) hops in a node and 2 log2(nodes) between them.
/// The bandwidth is that of the rings, derated by protocol. A program of RCCL's (rccl_programs.hpp)
/// comes first.
[[nodiscard]] std::vector<NcclChoice> nccl_choices(const NcclMachine& machine,
                                                   const TransportProfile& profile, Bytes size,
                                                   std::optional<std::string_view> algorithm = {});

}  // namespace ringcast
