#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// The nodes whose GPUs one set of NVSwitches joins, where the file does not say: 18 trays of a
/// rack (NVIDIA's GB200 and GB300 NVL72) for GPUs of NVLink 5.0 that NVLink-C2C joins to their
/// processors, 1 for all others.
[[nodiscard]] int default_domain(const NodeTypeSpec& type);

/// Whether nodes of this type are several hosts, as those that join_nvlink_domains() makes: a host
/// of such a rack has up to four GPUs.
[[nodiscard]] bool is_several_hosts(const NodeTypeSpec& type);

/// Makes one node of all that NVSwitches join (`nodes` under `nvswitch`, by default
/// default_domain()): NCCL finds all their GPUs over NVLink (MNNVL). If there are more nodes than
/// one domain has, each domain gets as many as divide their number evenly. `types` is `node_types`
/// of the file.
void join_nvlink_domains(const InputNode& types, ClusterSpec& cluster);
/// Throws ScenarioError where the file itself joins nodes, for a fabric whose cables name the NICs
/// of single nodes.
void refuse_joined_nodes(const InputNode& types);

}  // namespace ringcast
