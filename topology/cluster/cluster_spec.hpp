#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace ringcast {

/// One kind of cable as a cluster file describes it: a link class, possibly with overridden values,
/// or custom bandwidth and latency.
struct CableSpec {
  std::string link_class;  // as named in the file, or "custom"
  BytesPerSecond bandwidth;
  Seconds latency{0};
  std::string source;  // where the values come from
  /// Its name in the cluster file: a name under `links` or a link class. A cable that is described
  /// in place is named by its two ends in the fabric (`s0 - s1`), otherwise by the path of the key.
  /// Cables of one name are equal, except parallel ones. Empty for cables that are not from a file.
  std::string name = {};
  /// As in Cable; zero: no separate limit.
  BytesPerSecond peer_bandwidth{0};
  BytesPerSecond both_ways{0};
  BytesPerSecond kernel_bandwidth{0};
  std::string base_class = {};  // the LinkClass of the values; empty: none
  friend bool operator==(const CableSpec&, const CableSpec&) = default;
};

/// `count` equal devices of a PCIe tree, each with its own cable to their parent.
struct DeviceSpec {
  VertexKind kind = VertexKind::gpu;  // gpu, pcie_switch or nic
  int count = 1;
  CableSpec cable;
  std::vector<DeviceSpec> devices;  // below a pcie_switch
  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

struct RootComplexSpec {
  int count = 1;
  std::optional<CableSpec> cable;  // to its socket; absent: no limit
  std::vector<DeviceSpec> devices;
  friend bool operator==(const RootComplexSpec&, const RootComplexSpec&) = default;
};

struct SocketSpec {
  int count = 1;
  std::vector<RootComplexSpec> root_complexes;
  BytesPerSecond memory{0};             // as Vertex::memory
  BytesPerSecond staging_bandwidth{0};  // of each of its GPUs, as Vertex has it
  /// Ranks that are processes, one per core. The process cable models the copy rate of one core.
  int processes = 0;
  std::optional<CableSpec> process_cable = {};  // needed for processes
  std::vector<CachedRate> caches = {};          // as Vertex::caches
  friend bool operator==(const SocketSpec&, const SocketSpec&) = default;
};

/// A cable between two GPUs of a node, by their numbers in the node.
struct NvlinkSpec {
  int gpu_a = 0;
  int gpu_b = 0;
  int links = 1;  // the bandwidth is links times the cable's
  CableSpec cable;
  friend bool operator==(const NvlinkSpec&, const NvlinkSpec&) = default;
};

/// The NVSwitches of a node as one switch, to which every GPU has `links_per_gpu` links.
struct NvswitchSpec {
  int links_per_gpu = 1;
  CableSpec cable;
  friend bool operator==(const NvswitchSpec&, const NvswitchSpec&) = default;
};

/// One type of node. GPUs and NICs are numbered depth first, in the order of the tree.
struct NodeTypeSpec {
  std::string name;
  std::vector<SocketSpec> sockets;
  std::optional<CableSpec> socket_cable;  // between each pair of sockets; needed for more than one
  std::vector<NvlinkSpec> nvlinks;
  std::optional<NvswitchSpec> nvswitch;
  bool amd = false;  // processors made by AMD
  /// GPUDirect: its GPUs support P2P over PCIe, and RDMA. With NVIDIA's driver, GeForce GPUs
  /// support neither.
  bool gpudirect = true;
  std::string gpu = {};  // the model of its GPUs, in gpu_models(); empty: unknown
  friend bool operator==(const NodeTypeSpec&, const NodeTypeSpec&) = default;
};

struct NodeGroupSpec {
  std::string type;
  int count = 1;
  std::vector<std::string> hosts = {};  // names of the nodes, in all groups of a cluster or none
  friend bool operator==(const NodeGroupSpec&, const NodeGroupSpec&) = default;
};

/// One switch per rail. NIC i of each node is on rail i modulo the number of rails.
struct SingleSwitchSpec {
  int rails = 1;
  CableSpec cable;
  friend bool operator==(const SingleSwitchSpec&, const SingleSwitchSpec&) = default;
};

/// A folded Clos network. radix: ports of a switch. levels: 2 (leaf, spine) or 3 (leaf, spine,
/// core). oversubscription: ports down to ports up of a leaf, e.g. 2 for 2:1; 1 is non-blocking.
/// Rails as in SingleSwitchSpec: each rail has its own leaves, the upper levels are shared.
/// Adaptive routing spreads packets over all equal paths; otherwise the destination selects one.
struct FatTreeSpec {
  int levels = 2;
  int radix = 36;
  double oversubscription = 1.0;
  int rails = 1;
  CableSpec cable;
  std::optional<CableSpec> uplink;  // between switches; absent: `cable`
  bool adaptive_routing = false;
  friend bool operator==(const FatTreeSpec&, const FatTreeSpec&) = default;
};

/// Switches and cables by name. A NIC is named nodeI.nicN, or HOST.nicN, see build_cluster().
struct ExplicitFabricSpec {
  struct Cable {
    std::string from;
    std::string to;
    CableSpec cable;
    friend bool operator==(const Cable&, const Cable&) = default;
  };
  std::vector<std::string> switches;
  std::vector<Cable> cables;
  friend bool operator==(const ExplicitFabricSpec&, const ExplicitFabricSpec&) = default;
};

/// A cluster file, resolved: link classes looked up, units parsed. At most one fabric is present; a
/// cluster of one node needs none.
struct ClusterSpec {
  std::string name;
  std::string source;
  std::vector<NodeTypeSpec> node_types;
  std::vector<NodeGroupSpec> nodes;
  std::optional<SingleSwitchSpec> single_switch;
  std::optional<FatTreeSpec> fat_tree;
  std::optional<ExplicitFabricSpec> explicit_fabric;
  /// The GPUs, or processes, of a job's ranks, by their numbers in the cluster; empty: all, in
  /// order. Not part of a cluster file.
  std::vector<int> job_gpus = {};
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

/// Names every vertex and cable. Node i (over all groups) is `nodeI`, or its host; its vertices are
/// `nodeI.socketS`, `nodeI.processP`, `nodeI.rootR`, `nodeI.swW`, `nodeI.gpuG`, `nodeI.nicN`,
/// `nodeI.nvswitch`, each numbered within the node; fabric switches are `switch0`, `leaf0`,
/// `spine0`, `core0`, ... With adaptive routing one represents all that are equal, and its cables
/// the sum of theirs. Rank i is GPU, or process, job_gpus[i]; without them, i. Throws
/// ScenarioError, with the problem and what was expected but no position: no rank, a node without a
/// NIC for the fabric or with fewer than rails, a fat tree that is too small or whose radix and
/// oversubscription do not divide evenly, a switch with the name of a vertex. Readers must check
/// what a single key shows; violations are ContractViolations: counts and rates above zero, cables
/// between sockets and for processes, devices below PCIe switches only, existing names and numbers.
[[nodiscard]] Cluster build_cluster(const ClusterSpec& spec);

}  // namespace ringcast
