#pragma once

#include "topology/routes/topology.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast::detail {

/// NCCL's constant for a link of this kind (src/graph/topo.h), in bytes per second, which is not
/// the rate that it reaches. NICs have their line rate.
[[nodiscard]] double search_link_rate(const Topology& topology, LinkId link, NcclVersion version);

/// The rate that NCCL assumes for a link: for a network 12/12.5 of its line rate (NET_BW in
/// src/graph/topo.h), whatever the overhead of a plugin; for NVLinks their constant; for PCIe
/// `through_intel`, the root complex of an Intel processor, 5/6 of PCIe's constant
/// (INTEL_P2P_OVERHEAD there).
[[nodiscard]] double nominal_rate(const Topology& topology, LinkId link,
                                  bool through_intel = false);
/// The number of devices that NCCL sees behind a link that represents all NICs of a GPU
/// (nic_bundles.hpp). The plugin for EFA shows NCCL one device. Other NICs are assumed to be ports
/// of one adapter, which NCCL since 2.20, and RCCL, merge into one device (NCCL_IB_MERGE_NICS,
/// src/transport/net_ib.cc).
[[nodiscard]] int nics_of(const Topology& topology, LinkId link, NcclVersion version);

}  // namespace ringcast::detail
