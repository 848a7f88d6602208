#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// The default number of nodes in an NVLink domain: 18, the trays of a rack (NVIDIA's GB200 and
/// GB300 NVL72, Vera Rubin NVL72), for GPUs with NVLink 5.0 or later to NVSwitches and NVLink-C2C
/// to their CPUs; 1 for all others.
[[nodiscard]] int default_domain(const NodeTypeSpec& type);

/// Whether a node of this type consists of several hosts, as those of join_nvlink_domains(): a host
/// in such a rack has up to four GPUs.
[[nodiscard]] bool is_several_hosts(const NodeTypeSpec& type);

/// Merges the nodes of each NVLink domain (`nodes` under `nvswitch`, by default default_domain())
/// into one node, as NCCL does with MNNVL. If there are more nodes than a domain has, they are
/// divided by nvlink_domains(). `types`: `node_types` of the file.
void join_nvlink_domains(const InputNode& types, ClusterSpec& cluster);
/// The text without the number of nodes before the name of a type that join_nvlink_domains() made:
/// `tray` of `18 x tray`.
[[nodiscard]] std::string_view without_node_count(std::string_view text);

}  // namespace ringcast
