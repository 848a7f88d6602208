#pragma once

#include <string_view>

#include "app/config/cluster/cable_reader.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Whether the class of the link between the sockets is one of AMD processors.
[[nodiscard]] bool has_amd_socket_link(const NodeTypeSpec& type);

/// Marks a node as one with AMD processors, and replaces the limits of peer-to-peer traffic that
/// its cables have from their link classes. Those are for Intel's root complexes, which split TLPs
/// (INTEL_P2P_OVERHEAD in NCCL's src/graph/topo.h).
/// - Up to PCIe 4.0, AMD's root complexes forward the TLPs of GPUs unchanged: no limit (25.3 GB/s
///   between RTX 4090).
/// - On PCIe 5.0 the limit is Intel's: kernels of eight RTX PRO 6000 reach 46.4 GB/s through Zen 4,
///   where copies reach 56.3 (voipmonitor/rtx6kpro).
/// - On PCIe 4.0 hosts (Rome, Milan), a NIC at a root port has another limit (amd_nic_peers in
///   topology/links/measured_constants.hpp).
/// Limits given in the cluster file remain. `named`: its links, whose names are in use.
void set_amd_processors(NodeTypeSpec& type, const NamedCables& named);

/// SocketSpec::staging_bandwidth with this processor, if the file does not give it: epyc_staging in
/// topology/links/measured_constants.hpp, or none.
[[nodiscard]] BytesPerSecond staging_bandwidth_of(std::string_view cpu);

}  // namespace ringcast
