#pragma once

#include <optional>
#include <span>

#include "topology/nccl/nccl_tuner.hpp"
#include "topology/transfers/path_level.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

// The rates at which NCCL's graph search runs channels. It tries those of a table, the fastest
// first, until the links carry them (ncclTopoCompute() in src/graph/search.cc; the tables are
// speedArrayIntra, sm90SpeedArrayIntra, sm100SpeedArrayIntra, and ...Inter between nodes).

/// The table for a machine; GB/s.
using SearchRates = std::span<const double>;
[[nodiscard]] SearchRates search_rates(const NcclMachine& machine);
/// The parts, one or two, into which the search splits each of so many channels of this rate, bytes
/// per second (ncclTopoDupChannels()).
[[nodiscard]] int search_parts(const NcclMachine& machine, int channels, double rate);
/// The constant that NCCL has for a link of this kind (src/graph/topo.h), whatever it reaches;
/// bytes per second. Cards have their line rate.
[[nodiscard]] double search_link_rate(const Topology& topology, LinkId link);

/// The rate at which NCCL takes a link: a network at 12 of 12.5 parts of its line rate (NET_BW in
/// src/graph/topo.h), whatever a plugin costs; NVLinks at their constant; PCIe `through_intel`, the
/// root complex of an Intel processor, at 5/6 of its own (INTEL_P2P_OVERHEAD there).
[[nodiscard]] double nominal_rate(const Topology& topology, LinkId link,
                                  bool through_intel = false);
/// The cards behind a link that stands for all cards of a GPU (nic_bundles.hpp). The plugin for EFA
/// shows NCCL one device for them. They are assumed to be ports of one card, which NCCL merges into
/// one device since 2.20, and so does RCCL (NCCL_IB_MERGE_NICS, src/transport/net_ib.cc).
[[nodiscard]] int cards_of(const Topology& topology, LinkId link, NcclVersion version);

/// Sets the rings of the search and their rate, of so many rings that the machine carries and that
/// together reach `within` in a node and what NCCL expects between nodes: those that are faster
/// than the fastest are split, or taken at that, and in the end those that are fast or few are
/// halved (ncclTopoDupChannels()). Rings through PCIe or xGMI keep the rate of their links.
void take_searched_rings(NcclMachine& machine, BytesPerSecond within, int rings);
/// The machine with the rate of these rings in the place of what its links carry.
[[nodiscard]] NcclMachine as_searched(NcclMachine machine);

/// What in-switch sums give each head of a node; bytes per second.
struct SwitchedRates {
  int heads = 0;      // no more than there are channels for, NCCL's 32
  double within = 0;  // through the NVSwitches: of a GPU's link a head takes two, others one each
  double across = 0;  // at its card; on one node the fastest rate there is
};
[[nodiscard]] SwitchedRates searched_switch_rates(const NcclMachine& machine);

/// Whether every card of the job's first node that has a GPU so near has another too, or another as
/// near as the nearest: trees then enter a node at one GPU and leave it at the other
/// (NCCL_TOPO_PATTERN_BALANCED_TREE).
[[nodiscard]] bool has_balanced_trees(const TransferPaths& paths,
                                      std::optional<PathLevel> farthest);

}  // namespace ringcast::detail
