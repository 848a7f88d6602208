#pragma once

#include <cstdint>
#include <string>

#include "app/config/cluster/cable_reader.hpp"
#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

// The parts of a cluster file, for cluster_reader.cpp.

/// The number of devices of each kind in a node of one type. Counts saturate at 2^40.
struct NodeParts {
  std::int64_t sockets = 0;
  std::int64_t roots = 0;
  std::int64_t switches = 0;
  std::int64_t gpus = 0;
  std::int64_t nics = 0;
  std::int64_t processes = 0;
  std::int64_t total = 0;
};

/// Limit on the GPUs or processes of a node, as routes are found between any two. NVIDIA's largest
/// announced NVLink domain has 576 GPUs (Rubin Ultra NVL576, GTC 2025).
inline constexpr std::int64_t most_ranks_of_a_node = 1024;
/// Far above any machine, and small enough to build quickly.
inline constexpr std::int64_t most_parts_of_a_node = 10'000;
inline constexpr std::int64_t most_parts_of_a_cluster = 2'000'000;

/// The values of the key `kind` of a device.
inline constexpr NamedValue<VertexKind> device_kinds[] = {
    {"gpu", VertexKind::gpu}, {"pcie-switch", VertexKind::pcie_switch}, {"nic", VertexKind::nic}};

[[nodiscard]] NodeParts parts_of(const NodeTypeSpec& type);
/// Throws ScenarioError at `node` for a node beyond these limits.
void check_parts(const InputNode& node, const NodeTypeSpec& type);

/// One entry of `node_types`, without the checks that need the whole cluster.
[[nodiscard]] NodeTypeSpec read_node_type(std::string name, const InputNode& node,
                                          const NamedCables& named);

/// Attaches the NICs of a `nics` list to the tree of `type`. An entry's `at` names one
/// root complex or switch as build_cluster does within a node: `root0`, `sw3`.
void place_nics(const InputNode& nics, const NamedCables& named, NodeTypeSpec& type);

/// Reads `fabric` into the matching member of `cluster`, which has its nodes already. `as_listed`:
/// the cluster before join_nvlink_domains(), to whose NICs explicit cables lead.
void read_fabric(const InputNode& fabric, const NamedCables& named, const ClusterSpec& as_listed,
                 ClusterSpec& cluster);

}  // namespace ringcast
