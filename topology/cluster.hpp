#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/units.hpp"
#include "topology/cache.hpp"

namespace ringcast {

enum class VertexKind {
  gpu,
  cpu,
  root_complex,
  pcie_switch,
  nvswitch,
  nic,
  network_switch,
  process,  // a rank without a GPU: one core of its socket
};
inline constexpr std::size_t vertex_kinds = 8;
/// `gpu`, `cpu`, `root complex`, `PCIe switch`, `NVSwitch`, `network card`, `network switch`,
/// `process`
[[nodiscard]] std::string_view name_of(VertexKind kind);
[[nodiscard]] constexpr bool is_rank(VertexKind kind) {
  return kind == VertexKind::gpu || kind == VertexKind::process;
}

struct Vertex {
  std::string name;
  VertexKind kind;
  int node;  // the number of the node it is in; -1 for network switches
  /// Of a cpu: what its host memory can read and write in all. Zero: no limit is known.
  BytesPerSecond memory{0};
  /// Of a cpu: what its cores copy where caches help; ascending, empty: nothing is known.
  std::vector<CachedRate> caches = {};
};

/// A full-duplex cable: `bandwidth` each way. Ends are indices of vertices. Zero limits are none.
struct Cable {
  int a;
  int b;
  BytesPerSecond bandwidth;
  Seconds latency;
  std::string link_class;
  std::string source;
  /// Each way, for what passes a root complex in small packets: what one device writes to another,
  /// and what kernels write to and read from host memory.
  BytesPerSecond peer_bandwidth{0};
  /// Both directions together, where that is less than twice one.
  BytesPerSecond both_ways{0};
};

/// Hardware as a plain graph. Its ranks are GPUs or processes, never both: the i-th such vertex, in
/// this order, is rank i.
struct Cluster {
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  std::vector<std::string> node_types = {};  // the type of each node, for people; may be empty
};

}  // namespace ringcast
