#pragma once

#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

/// The bandwidths in bytes per second that the tuner of the machine's release of NCCL expects, as
/// in ncclTopoTuneModel() in src/graph/tuning.cc.
namespace ringcast::detail {

/// Costs use the newest release's figures, which are closest to measurements. `rings` stay.
[[nodiscard]] inline NcclMachine with_newest_release(NcclMachine machine) {
  machine.version = newest_nccl;
  return machine;
}

/// The bus bandwidth of in-switch sums between nodes: the way up and the way down overlap, and
/// between two nodes each card is crossed once. Infinite in one node.
[[nodiscard]] double switched_network(const NcclMachine& machine);

/// The bus bandwidth of an algorithm with the protocol Simple.
[[nodiscard]] double simple_bandwidth(const NcclMachine& machine, std::string_view algorithm);

/// The same under a protocol.
[[nodiscard]] double bus_bandwidth(const NcclMachine& machine, const Protocol& protocol);
/// The same of the channels that NCCL's search finds.
[[nodiscard]] double expected_bandwidth(const NcclMachine& machine, const Protocol& protocol);

}  // namespace ringcast::detail
