#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The distance of two devices of a node, nearest first, as in NCCL and `nvidia-smi topo -m`:
/// over NVLink; through one PCIe switch; through several; over the NVLink of a GPU near a NIC;
/// through one or several root complexes of a socket; across the socket link.
enum class PathLevel { nvl, pix, pxb, pxn, phb, sys };
/// `NVL`, `PIX`, `PXB`, `PXN`, `PHB`, `SYS`
[[nodiscard]] std::string_view name_of(PathLevel level);
[[nodiscard]] std::optional<PathLevel> path_level_named(std::string_view name);

/// The kind of path between two memories.
enum class PathKind {
  nvlink,       // GPU to GPU
  p2p,          // GPU to GPU over PCIe
  staged,       // GPU to GPU of one node, through host memory
  host_memory,  // from or to a socket's memory, within a node
  network,
};
/// `nvlink`, `p2p`, `staged`, `host memory`, `network`
[[nodiscard]] std::string_view name_of(PathKind kind);

/// The key in a transport file: `host_memory`.
[[nodiscard]] std::string key_of(PathKind kind);

/// The location of the ranks' buffers during a collective.
enum class BufferPlace {
  device,       // in the memory of the rank's GPU, or process
  host,         // in host memory, without any use of the GPU
  host_copies,  // in GPU memory, copied as a whole to the host before and back after
};

/// The direction of a rank's local copy.
enum class CopyDirection { to_host, on_host, to_device };

/// A wire protocol of an algorithm, such as NCCL's LL, LL128 and Simple: less latency, but also
/// less payload on the cables (every second word of LL is a flag).
struct Protocol {
  std::string algorithm;  // as allreduce_names() has it
  std::string name;
  Seconds call_overhead{0};
  /// The latency of a message from sender to receiver, cables included. Messages overlap in it.
  std::map<PathKind, Seconds> latencies = {};
  double efficiency = 1;  // fraction of payload in the bytes on the cables; above 0, at most 1
  /// Override `efficiency` for one kind of path.
  std::map<PathKind, double> efficiencies = {};
  /// For a ring between nodes whose ranks do not wait for their sends: the fraction of its hops at
  /// which the network's latency counts, and the latency of the other hops, averaged over all hops.
  /// No keys of the file.
  double crossings = 1;
  Seconds beside_crossings{0};
  /// The limit of the payload of a channel's messages to one rank, in addition to the cables; zero:
  /// none. No key of the file.
  BytesPerSecond channel_rate{0};
  /// The same of messages between nodes, in its place. No key of the file.
  BytesPerSecond network_rate{0};
  /// For a ring whose ranks post their receives ahead: the fraction of its hops with handshakes.
  double handshakes = 1;
  /// Whether NCCL's channels of in-switch sums carry less than the NVLinks; then the efficiency of
  /// the NVLinks is that of the channels. No key of the file.
  bool by_channels = false;

  [[nodiscard]] Seconds latency_of(PathKind kind) const;  // zero: that of the cables
  [[nodiscard]] double efficiency_of(PathKind kind) const;
  /// `ring/LL128`
  [[nodiscard]] std::string full_name() const { return algorithm + "/" + name; }
  friend bool operator==(const Protocol&, const Protocol&) = default;
};

/// The rules by which a library chooses algorithm and protocol; see topology/nccl/nccl_tuner.hpp.
enum class Tuner { none, nccl, rccl };

/// The tuner of the plugin for EFA, by the year of its release; see topology/nccl/aws_tuner.hpp.
enum class EfaTuner { none, of_2024, of_2025 };

/// A release of NCCL. The rules for algorithms, protocols, estimates, channels and P2P depend on
/// it.
struct NcclVersion {
  int major = 2;
  int minor = 32;
  friend auto operator<=>(const NcclVersion&, const NcclVersion&) = default;
};
/// The releases whose rules are known; the default is the newest.
inline constexpr NcclVersion oldest_nccl{2, 0};
inline constexpr NcclVersion newest_nccl{};
/// `nccl-2.18`
[[nodiscard]] std::string name_of(NcclVersion version);
/// Parses `nccl-2.18` or `nccl-2.18.3`; nothing for releases before the oldest or after the newest.
[[nodiscard]] std::optional<NcclVersion> nccl_version_named(std::string_view name);

inline constexpr int most_nccl_channels = 64;  // MAXCHANNELS in NCCL's src/include/device.h

/// The rules and costs of one software stack. A cost of zero means no cost.
struct TransportProfile {
  std::string name = {};
  std::string source = {};
  /// Sources of single values, by their key in the file.
  std::map<std::string, std::string> sources = {};

  BufferPlace buffers = BufferPlace::device;
  /// The largest distance at which GPUs write to each other directly; beyond it, or if absent,
  /// messages are staged through the memory of the sender's socket.
  std::optional<PathLevel> p2p = PathLevel::sys;
  /// The same in nodes with AMD's processors, for up to two GPUs of a job in the node; RCCL, and
  /// NCCL before 2.23, allow any number.
  std::optional<PathLevel> p2p_amd_pairs = {};
  /// False: GPUs of a node without P2P communicate through NICs, as with NCCL_SHM_DISABLE=1.
  bool shm = true;
  /// Whether NCCL lets GPUs of a node use NICs that are faster than the path between the GPUs
  /// (NearNics); false as with NCCL_NET_DISABLE_INTRA=1.
  bool network_in_node = true;
  /// The same as p2p for GPU and NIC; each side is staged through its own host.
  std::optional<PathLevel> gdr = PathLevel::sys;
  /// True: the legs of a staged transfer overlap, one staging_buffer behind each other;
  /// false: each leg transfers the whole message before the next begins.
  bool pipelined_staging = true;
  /// True: kernels copy between a GPU and host memory, (Cable::kernel_bandwidth);
  /// false: copy engines do.
  bool kernel_copies = false;
  Bytes staging_buffer{0};
  /// Rate limit of one message or copy between device and host; zero: the cables' bandwidth.
  BytesPerSecond copy_rate{0};
  /// Between nodes over TCP: the rate at which a rank's thread copies into sockets and out of them,
  /// both together; zero: no sockets, the NICs access memory themselves.
  BytesPerSecond socket_copy_rate{0};
  /// The additional latency of a message over TCP.
  Seconds socket_latency{0};
  /// With BufferPlace::host_copies: how many times a rank copies its buffer down before, then
  /// within host memory (at on_host_rate()), and up after the collective.
  int copies_to_host = 1;
  int copies_on_host = 0;
  int copies_to_device = 1;
  /// The number of copies of a message between two processes of one host (one core writes shared
  /// memory, another reads it). host_copy_rate limits all of them together; zero: the memory's
  /// bandwidth.
  int host_copies = 1;
  BytesPerSecond host_copy_rate{0};

  /// The most GPUs of a node that one process controls. It launches their kernels one after the
  /// other, so each of several successive calls takes at least that long.
  int gpus_per_process = 1;
  /// Overhead of the call, once per rank.
  Seconds call_overhead{0};
  /// Overhead of a message, in addition to the latencies of its cables. It occupies software or a
  /// NIC, so the next message of the stream waits for it.
  Seconds message_overhead{0};
  /// Override message_overhead for one kind of path.
  std::map<PathKind, Seconds> overheads = {};
  /// The protocols of each algorithm; empty: the values above are the costs of messages. A message
  /// takes the fastest protocol of its algorithm, unless the tuner has chosen one.
  std::vector<Protocol> protocols = {};
  Tuner tuner = Tuner::none;
  NcclVersion nccl_version = newest_nccl;  // of the tuner
  EfaTuner efa_tuner = EfaTuner::of_2025;
  /// The buffer of a channel for Simple (NCCL_BUFFSIZE), of which a chunk of a tree is an eighth at
  /// most; absent: the library's default.
  std::optional<Bytes> channel_buffer = std::nullopt;
  bool pxn = true;         // GPUs send to NICs over other GPUs (NCCL_PXN_DISABLE)
  int least_channels = 0;  // of a communicator (NCCL_MIN_NCHANNELS); 0: as the library finds
  int most_channels = most_nccl_channels;  // the same (NCCL_MAX_NCHANNELS)
  bool is_narrowed = false;                // the tuner may choose among some protocols only
  /// A published set whose samples are excluded from the tuner's measured constants; no key of the
  /// file.
  std::string left_out = {};
  /// Longer messages begin with a handshake, which may overlap with earlier messages.
  std::optional<Bytes> eager_limit = std::nullopt;
  Seconds rendezvous_handshake{0};

  /// Bytes reduced per second, once received. Zero: the reduction takes no time.
  BytesPerSecond reduce_rate{0};
  /// The same on a rank without a GPU in a profile of GPUs: a parameter server.
  BytesPerSecond host_reduce_rate{0};
  /// Rate of lent slices (Endpoint: Returns) between processes of a socket, for buffers of any
  /// size; zero: as other messages. No key of the file: it is derived from caches
  /// (CachedRate::lent_rate).
  BytesPerSecond lent_rate{0};
  /// Overhead of each reduction: a kernel launch.
  Seconds reduce_overhead{0};
  /// True: the reduction is part of the receive (NCCL's receive-reduce-send) and limits its rate;
  /// false: it follows the receive (Baidu's MPI_Irecv, then a kernel).
  bool fused_reduction = false;
  /// The fraction of a concurrent reduction's time by which a computation on the same GPU slows
  /// down, 0 to 1: both need its multiprocessors.
  double compute_competition = 0;

  /// Between nodes.
  [[nodiscard]] bool is_over_tcp() const { return socket_copy_rate > BytesPerSecond{0}; }
  [[nodiscard]] Seconds overhead_of(PathKind kind) const;
  [[nodiscard]] bool has_protocols_of(std::string_view algorithm) const;
  /// The profile of one algorithm, with its protocols only. An algorithm without protocols has the
  /// ring's.
  [[nodiscard]] TransportProfile of_algorithm(std::string_view algorithm) const;
  /// The number of copies of the whole buffer; zero if the profile makes none.
  [[nodiscard]] int copies(CopyDirection direction) const;
  /// The rate of one copy of a message between two processes.
  [[nodiscard]] BytesPerSecond on_host_rate() const;
  friend bool operator==(const TransportProfile&, const TransportProfile&) = default;
};

}  // namespace ringcast
