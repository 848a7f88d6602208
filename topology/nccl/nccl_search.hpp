#pragma once

#include <optional>
#include <span>

#include "topology/nccl/nccl_tuner.hpp"
#include "topology/transfers/path_level.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

// The rates of channels in NCCL's graph search. It tries the rates of a table, the fastest first,
// until the links can carry the channels (ncclTopoCompute() in src/graph/search.cc; the tables are
// speedArrayIntra, sm90SpeedArrayIntra, sm100SpeedArrayIntra, and ...Inter between nodes).

/// The table for a machine; GB/s.
using SearchRates = std::span<const double>;
[[nodiscard]] SearchRates search_rates(const NcclMachine& machine);
/// The number of parts, one or two, into which the search splits each of `channels` channels of
/// this rate, in bytes per second (ncclTopoDupChannels()).
[[nodiscard]] int search_parts(const NcclMachine& machine, int channels, double rate);

/// Sets the number and the rate of the rings that NCCL's search finds. `rings`: the rings that the
/// machine carries, which together reach `within` in a node and, between nodes, the bandwidth that
/// NCCL expects. Rings faster than the fastest of the table are split or limited to it; finally,
/// fast or few rings are halved (ncclTopoDupChannels()). Rings through PCIe or xGMI keep the rate
/// of their links.
void take_searched_rings(NcclMachine& machine, BytesPerSecond within, int rings);
/// The machine with the bandwidth of these rings in place of that of its links.
[[nodiscard]] NcclMachine as_searched(NcclMachine machine);

/// The rates of each head of a node in in-switch sums, in bytes per second.
struct SwitchedRates {
  int heads = 0;  // at most nccl_tables::most_heads
  /// Through the NVSwitches: a GPU's link carries its own head twice, others once.
  double within = 0;
  double across = 0;  // at its NIC; on one node the fastest rate of the table
};
[[nodiscard]] SwitchedRates searched_switch_rates(const NcclMachine& machine);

/// Whether no NIC of the job's first node has exactly one GPU up to the level `farthest` (absent:
/// the level of its nearest GPU). Trees then enter a node at one GPU and leave it at another
/// (NCCL_TOPO_PATTERN_BALANCED_TREE).
[[nodiscard]] bool has_balanced_trees(const TransferPaths& paths,
                                      std::optional<PathLevel> farthest);

}  // namespace ringcast::detail
