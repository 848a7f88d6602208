#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/units.hpp"
#include "topology/cluster/cache.hpp"

namespace ringcast {

struct GpuModel;

enum class VertexKind {
  gpu,
  cpu,
  root_complex,
  pcie_switch,
  nvswitch,
  nic,
  network_switch,
  process,  // a rank without a GPU, on one core of its socket
};
inline constexpr std::size_t vertex_kinds = 8;
/// `gpu`, `cpu`, `root complex`, `PCIe switch`, `NVSwitch`, `NIC`, `network switch`,
/// `process`
[[nodiscard]] std::string_view name_of(VertexKind kind);
[[nodiscard]] constexpr bool is_rank(VertexKind kind) {
  return kind == VertexKind::gpu || kind == VertexKind::process;
}

struct Vertex {
  std::string name;
  VertexKind kind;
  int node;  // index of the node; -1 for network switches
  /// Only for a cpu: total read and write bandwidth of its host memory; zero: no known limit.
  BytesPerSecond memory{0};
  /// Only for a cpu: copy rate of its cores by working set, ascending; empty: unknown.
  std::vector<CachedRate> caches = {};
  /// Only for a cpu: made by AMD.
  bool amd = false;
  /// Only for a gpu: connected to an NVSwitch, or by NVLinks to two or more GPUs.
  bool on_board = false;
  /// Only for a gpu: other devices may access its memory over PCIe (P2P, RDMA).
  bool gpudirect = true;
  /// Only for a gpu: its model, as the cluster file names it, and that of gpu_models(); empty and
  /// null: unknown.
  std::string gpu = {};
  const GpuModel* model = nullptr;
  /// Only for a gpu: the rate at which its kernels read what other GPUs of the node have written to
  /// host memory; zero: no limit but those of the cables.
  BytesPerSecond staging_bandwidth{0};
  /// Only for a gpu or NIC: the rate at which it writes to other sockets; zero: no limit but those
  /// of the cables.
  BytesPerSecond socket_writes{0};
  /// Only for a rank over TCP: the rate at which its thread copies data into and out of sockets,
  /// both directions together.
  BytesPerSecond tcp_thread{0};
};

/// A full-duplex cable: `bandwidth` each way. Ends are indices of vertices. A limit of zero is
/// absent.
struct Cable {
  int a;
  int b;
  BytesPerSecond bandwidth;
  Seconds latency;
  std::string link_class;
  std::string source;
  /// Each way, for peer traffic through a root complex, which some hosts split into small TLPs.
  /// Between sockets it has no effect: see Vertex::socket_writes.
  BytesPerSecond peer_bandwidth{0};
  /// Both directions together, if less than twice one.
  BytesPerSecond both_ways{0};
  /// Each way, for kernels that access host memory; between nodes, for messages that kernels stage
  /// there.
  BytesPerSecond kernel_bandwidth{0};
  std::string base_class = {};  // in the table of link classes; empty: custom values
};

/// Hardware as a plain graph. Its ranks are either GPUs or processes.
struct Cluster {
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  /// The type of each node. Nodes of one type have the same vertices and cables; only their cables
  /// to the fabric may differ. May be empty.
  std::vector<std::string> node_types = {};
  /// The vertices of the ranks, each once; empty: all GPUs or processes, in order.
  std::vector<int> ranks = {};
  /// How many ranks, from the first on, must have routes between them; zero: all.
  int connected_ranks = 0;

  [[nodiscard]] const Vertex& vertex(int number) const {
    return vertices[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] bool joins_sockets(const Cable& cable) const {
    return vertex(cable.a).kind == VertexKind::cpu && vertex(cable.b).kind == VertexKind::cpu;
  }
};

/// Cluster::ranks, or what it stands for if it is empty.
[[nodiscard]] std::vector<int> rank_vertices(const Cluster& cluster);

}  // namespace ringcast
