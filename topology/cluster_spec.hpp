#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"
#include "topology/cluster.hpp"

namespace ringcast {

/// One kind of cable as a cluster file describes it: a class of the table, with any value replaced,
/// or bandwidth and latency of its own.
struct CableSpec {
  std::string link_class;  // as named in the file, or "custom"
  BytesPerSecond bandwidth;
  Seconds latency{0};
  std::string source;  // where the values come from
  /// What the cluster file calls it: a name under `links`, a link class, or the path of the key
  /// that describes it in place. Cables of one name are alike. Empty if it comes from no file.
  std::string name = {};
  /// As Cable's; zero: no limit of its own.
  BytesPerSecond peer_bandwidth{0};
  BytesPerSecond both_ways{0};
};

/// A device of a PCIe tree, `count` times, each on its own cable to its parent.
struct DeviceSpec {
  VertexKind kind = VertexKind::gpu;  // gpu, pcie_switch or nic
  int count = 1;
  CableSpec cable;
  std::vector<DeviceSpec> devices;  // below a pcie_switch
};

struct RootComplexSpec {
  int count = 1;
  std::optional<CableSpec> cable;  // to its socket; absent: never a limit
  std::vector<DeviceSpec> devices;
};

struct SocketSpec {
  int count = 1;
  std::vector<RootComplexSpec> root_complexes;
  BytesPerSecond memory{0};  // as Vertex::memory
  /// Ranks that are processes, each on a core. Its cable is what one core copies: the way to the
  /// process is what it reads and writes itself.
  int processes = 0;
  std::optional<CableSpec> process_cable = {};  // needed for processes
  std::vector<CachedRate> caches = {};          // as Vertex::caches
};

/// A cable between two GPUs of a node, by their numbers in the node.
struct NvlinkSpec {
  int gpu_a = 0;
  int gpu_b = 0;
  int links = 1;  // the bandwidth is links times the cable's
  CableSpec cable;
};

/// NVSwitches as one switch that every GPU of the node reaches over `links_per_gpu` links.
struct NvswitchSpec {
  int links_per_gpu = 1;
  CableSpec cable;
};

/// One type of node. GPUs are numbered in the order in which the tree names them, depth first;
/// so are network cards.
struct NodeTypeSpec {
  std::string name;
  std::vector<SocketSpec> sockets;
  std::optional<CableSpec> socket_cable;  // between each pair of sockets; needed for more than one
  std::vector<NvlinkSpec> nvlinks;
  std::optional<NvswitchSpec> nvswitch;
};

struct NodeGroupSpec {
  std::string type;
  int count = 1;
};

/// All network cards on one switch per rail. Rail r takes card r of each node, modulo the rails.
struct SingleSwitchSpec {
  int rails = 1;
  CableSpec cable;
};

/// A folded Clos network. radix: ports of a switch. levels: 2 (leaf, spine) or 3 (leaf, spine,
/// core). oversubscription: ports down to ports up of a leaf, e.g. 2 for 2:1; 1 is non-blocking.
/// Rails as in SingleSwitchSpec: each rail has its own leaves, the upper levels are shared.
struct FatTreeSpec {
  int levels = 2;
  int radix = 36;
  double oversubscription = 1.0;
  int rails = 1;
  CableSpec cable;
  std::optional<CableSpec> uplink;  // between switches; absent: as cable
};

/// Switches and cables by name. A card's name is NODE.nicN (node names: TYPE followed by a running
/// number over the cluster, see build_cluster).
struct ExplicitFabricSpec {
  struct Cable {
    std::string from;
    std::string to;
    CableSpec cable;
  };
  std::vector<std::string> switches;
  std::vector<Cable> cables;
};

/// A cluster file, resolved: link classes looked up, units parsed. At most one fabric is present;
/// none suits a cluster of one node.
struct ClusterSpec {
  std::string name;
  std::string source;
  std::vector<NodeTypeSpec> node_types;
  std::vector<NodeGroupSpec> nodes;
  std::optional<SingleSwitchSpec> single_switch;
  std::optional<FatTreeSpec> fat_tree;
  std::optional<ExplicitFabricSpec> explicit_fabric;
  /// The GPUs that the first ranks are, by their numbers in the cluster; the other GPUs follow in
  /// order. A job of few ranks on GPUs that are not the first.
  std::vector<int> first_gpus = {};
};

/// Names every vertex and cable. Node i (over all groups) is `nodeI`; its vertices are
/// `nodeI.socketS`, `nodeI.processP`, `nodeI.rootR`, `nodeI.swW`, `nodeI.gpuG`, `nodeI.nicN`,
/// `nodeI.nvswitch`, each numbered within the node; fabric switches are `switch0`, `leaf0`,
/// `spine0`, `core0`, ... The i-th GPU, or process, of the whole cluster is rank i, but for
/// first_gpus. Throws
/// ScenarioError, with the problem and what was expected but no position: no rank, an NVLink to a
/// GPU that is not there, two sockets without a cable between them, several nodes without a fabric
/// or a node without a card, a fat tree whose radix or oversubscription does not come out even or
/// that is too small, a cable to nowhere, a name used twice, a first GPU that is not there or
/// there twice.
[[nodiscard]] Cluster build_cluster(const ClusterSpec& spec);

}  // namespace ringcast
