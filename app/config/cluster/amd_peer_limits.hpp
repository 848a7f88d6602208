#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Whether the link between the sockets tells that AMD made the processors.
[[nodiscard]] bool has_amd_socket_link(const NodeTypeSpec& type);

/// Gives a node processors of AMD, and the limits of peer-to-peer traffic through their root
/// complexes. Those of the link classes are Intel's, which split TLPs (INTEL_P2P_OVERHEAD in NCCL's
/// src/graph/topo.h). AMD's forward the TLPs of GPUs unchanged up to PCIe 4.0: 25.3 GB/s between
/// RTX 4090. Over PCIe 5.0 they have Intel's limit, too: kernels of eight RTX PRO 6000 reach 46.4
/// GB/s past Zen 4's, where copies reach 56.3 (voipmonitor/rtx6kpro). On hosts of PCIe 4.0 (Rome,
/// Milan) a network card at a root port has a limit of its own (amd_card_peers in
/// topology/links/measured_constants.hpp). Limits of the file stay.
void set_amd_processors(NodeTypeSpec& type);

}  // namespace ringcast
