#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/units.hpp"

namespace ringcast {

enum class VertexKind { gpu, cpu, root_complex, pcie_switch, nvswitch, nic, network_switch };
/// `gpu`, `cpu`, `root complex`, `PCIe switch`, `NVSwitch`, `network card`, `network switch`
[[nodiscard]] std::string_view name_of(VertexKind kind);

struct Vertex {
  std::string name;
  VertexKind kind;
  int node;  // the number of the node it is in; -1 for network switches
};

/// A full-duplex cable: `bandwidth` each way. Ends are indices of vertices.
struct Cable {
  int a;
  int b;
  BytesPerSecond bandwidth;
  Seconds latency;
  std::string link_class;
  std::string source;
};

/// Hardware as a plain graph. The i-th GPU vertex, in this order, is rank i.
struct Cluster {
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  std::vector<std::string> node_types = {};  // the type of each node, for people; may be empty
};

}  // namespace ringcast
