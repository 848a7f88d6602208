#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// How far apart two devices of a node are, nearest first, as NCCL and `nvidia-smi topo -m` say it:
/// over NVLink; through one PCIe switch; through several; through a root complex or several of one
/// socket; across the socket link.
enum class PathLevel { nvl, pix, pxb, phb, sys };
/// `NVL`, `PIX`, `PXB`, `PHB`, `SYS`
[[nodiscard]] std::string_view name_of(PathLevel level);
[[nodiscard]] std::optional<PathLevel> path_level_named(std::string_view name);

/// How a message gets from one memory to another.
enum class PathKind {
  nvlink,       // GPU to GPU
  p2p,          // GPU to GPU over PCIe
  staged,       // GPU to GPU of one node, through host memory
  host_memory,  // from or to a socket's memory, within a node
  network,
};
inline constexpr std::size_t path_kinds = 5;
/// `nvlink`, `p2p`, `staged`, `host memory`, `network`
[[nodiscard]] std::string_view name_of(PathKind kind);

/// The same as a key of a file: `host_memory`.
[[nodiscard]] std::string key_of(PathKind kind);

/// Where the ranks' buffers are while a collective runs.
enum class BufferPlace {
  device,       // where the rank is: on its GPU, or in its process
  host,         // of GPUs that take no part
  host_copies,  // in GPU memory, copied to the host before and back after, whole
};

/// The ways of a copy that a rank makes by itself.
enum class CopyDirection { to_host, on_host, to_device };

/// Another way to send, which a message takes where that is faster: it costs less, but fills the
/// cables with less data (NCCL's LL protocol: every second word is a flag).
struct ShortMessages {
  Seconds message_overhead{0};
  std::map<PathKind, Seconds> overheads = {};
  double efficiency = 1;  // the part of what crosses the cables that is data; above 0, at most 1

  [[nodiscard]] Seconds overhead_of(PathKind kind) const;
};

/// The choices and costs of one software stack. A cost of zero is none.
struct TransportProfile {
  std::string name = {};
  std::string source = {};
  /// Where single values come from, by their key in the file.
  std::map<std::string, std::string> sources = {};

  BufferPlace buffers = BufferPlace::device;
  /// The farthest GPUs that may write to each other directly; beyond, and where absent, messages
  /// are staged through the memory of the sender's socket.
  std::optional<PathLevel> p2p = PathLevel::sys;
  /// The same for GPU and network card; each side is staged through its own host.
  std::optional<PathLevel> gdr = PathLevel::sys;
  /// True: the parts of a staged transfer run at once, a buffer behind each other (staging_buffer);
  /// false: one after the other, each for the whole message.
  bool pipelined_staging = true;
  /// Who copies between a GPU and host memory: its kernels, in small packets (Cable), or its copy
  /// engines.
  bool kernel_copies = false;
  Bytes staging_buffer{0};
  /// Between device and host, one message or copy; zero: what the cables allow.
  BytesPerSecond copy_rate{0};
  /// Of host_copies: how many times a rank copies its buffer down before, then from there to
  /// another place of the host's memory (at on_host_rate()), and up after.
  int copies_to_host = 1;
  int copies_on_host = 0;
  int copies_to_device = 1;
  /// A message between two processes of one host is copied so many times (one core writes shared
  /// memory, another reads it), all of them together no faster than host_copy_rate; zero: what the
  /// memory allows.
  int host_copies = 1;
  BytesPerSecond host_copy_rate{0};

  /// Once, before a rank begins.
  Seconds call_overhead{0};
  /// What one message costs beside the latencies of its cables. The next of its stream waits until
  /// it is paid: software or a card is busy with it.
  Seconds message_overhead{0};
  /// Replace message_overhead for one kind of path.
  std::map<PathKind, Seconds> overheads = {};
  std::optional<ShortMessages> short_messages = std::nullopt;
  /// Longer messages begin with a handshake, which those before them may hide.
  std::optional<Bytes> eager_limit = std::nullopt;
  Seconds rendezvous_handshake{0};

  /// Bytes combined per second, once the data is there. Zero: the reduction costs nothing extra.
  BytesPerSecond reduce_rate{0};
  /// The same on a rank that is no GPU, where the profile's ranks are GPUs: a parameter server.
  BytesPerSecond host_reduce_rate{0};
  /// Of what processes of a socket lend each other, for the buffers at hand, however small; zero:
  /// as all else. Not of the file: caches tell it (CachedRate::lent_rate).
  BytesPerSecond lent_rate{0};
  /// For each combination: the launch of a kernel.
  Seconds reduce_overhead{0};
  /// True: the reduction is part of the receive (NCCL's receive-reduce-send) and limits its rate;
  /// false: it follows the receive (Baidu's MPI_Irecv, then a kernel).
  bool fused_reduction = false;
  /// How much of a reduction's time a computation loses beside it on the same GPU, 0 to 1: both
  /// want its multiprocessors.
  double compute_competition = 0;

  [[nodiscard]] Seconds overhead_of(PathKind kind) const;
  /// Of the whole buffer, where the profile copies that.
  [[nodiscard]] int copies(CopyDirection direction) const;
  /// Of one of the copies that a message between two processes needs.
  [[nodiscard]] BytesPerSecond on_host_rate() const;
};

}  // namespace ringcast
